/**
 * The list of workspaces, by which those are found that hold turns to be taken up or records that
 * expire. It is in a slot of its own, hence no part of the scripts that store something.
 */

import { z } from 'zod';
import { type Clock, type Commands, pairsOf, type Script, storeScripts } from './commands.ts';
import { workspacesSlot } from './keys.ts';

const script = storeScripts('upkeep');

/** Bounds what is remembered; a workspace that is listed twice costs a round trip. */
const mostKnown = 100_000;
const readAtOnce = 100;
/** A process that stores something lists the workspace again when it did so longer ago, in milliseconds. */
const listedAgainMs = 3_600_000;
/** Longer ago by more than clocks differ, and than any call is on its way: no process counts on it any more. */
const leftAfterMs = 86_400_000;

const listing = z.array(z.string());

export interface Workspaces {
  /** Has a workspace listed before something is stored in it; asks the server once an hour for each. */
  enlist(workspace: string): Promise<void>;
  /** Runs a script that stores something in a workspace, once it is listed. */
  store(script: Script, workspace: string, values: readonly string[]): Promise<unknown>;
  /** Goes through those that are listed, each once, in portions. */
  portions(): AsyncGenerator<readonly string[]>;
  /** Takes a workspace of which nothing is left out of the list, if it was listed last a day ago. */
  leave(workspace: string): Promise<void>;
}

export function workspacesOf(commands: Commands, clock: Clock): Workspaces {
  /** When this process had each listed, in milliseconds since 1970. */
  const known = new Map<string, number>();
  const run = (name: string, ...values: readonly string[]) =>
    commands.run(script(name), workspacesSlot, values);

  async function enlist(workspace: string): Promise<void> {
    const now = clock.now();
    const listedAt = known.get(workspace);
    if (listedAt !== undefined && Math.abs(now - listedAt) < listedAgainMs) return;
    await run('enlist', workspace, String(now));
    if (known.size >= mostKnown) known.clear();
    known.set(workspace, now);
  }

  return {
    enlist,
    store: async (storing, workspace, values) => {
      await enlist(workspace);
      return commands.run(storing, workspace, values);
    },
    portions: async function* () {
      // One that is listed again meanwhile moves to the end.
      const seen = new Set<string>();
      for (let after = '-inf', found = readAtOnce; found === readAtOnce; ) {
        const listed = pairsOf(listing.parse(await run('list', after, String(readAtOnce))));
        const portion = listed.flatMap(([workspace]) => (seen.has(workspace) ? [] : [workspace]));
        for (const workspace of portion) seen.add(workspace);
        if (portion.length > 0) yield portion;
        found = listed.length;
        after = `(${listed.at(-1)?.[1]}`;
      }
    },
    leave: async (workspace) => {
      await run('delist', workspace, String(clock.now() - leftAfterMs));
    },
  };
}
