/**
 * The list of workspaces, by which those are found that hold turns to be taken up or records that
 * expire. It is in a slot of its own, hence no part of the scripts that store something.
 */

import { z } from 'zod';
import { type Commands, pairsOf, type Script, storeScripts } from './commands.ts';
import { workspacesSlot } from './keys.ts';

const scripts = storeScripts('workspaces');

/** Bounds what is remembered; a workspace that is listed twice costs a round trip. */
const mostKnown = 100_000;
const readAtOnce = 100;
/** Far longer than a call is on its way that was listed before. */
const leftKnownMs = 86_400_000;

const listedAs = z.number();
const listing = z.tuple([z.array(z.string()), z.number()]);

/** A workspace in the list: what its keys begin with, and the number that it was listed by last. */
export interface ListedWorkspace {
  readonly workspace: string;
  readonly number: number;
}

export interface Workspaces {
  /**
   * Runs a script that stores something in a workspace, after it was listed: once for each workspace
   * that this process meets, and once more when it was taken out of the list.
   *
   * @param values - What the script is given behind the workspace's number.
   */
  store(script: Script, workspace: string, values: readonly string[]): Promise<unknown>;
  /** Has a workspace listed, whether it is there or not. Gives its number, which none had before. */
  enlist(workspace: string): Promise<number>;
  /** Goes through those that are listed now, in portions. */
  portions(): AsyncGenerator<readonly ListedWorkspace[]>;
  /** Takes a workspace out of the list, if nothing is left of it. */
  leave(workspace: string): Promise<void>;
}

export function workspacesOf(commands: Commands): Workspaces {
  const known = new Set<string>();

  async function enlist(workspace: string): Promise<number> {
    return listedAs.parse(await commands.run(scripts('enlist'), workspacesSlot, [workspace]));
  }

  async function list(after: number, limit: number) {
    const values = [after, limit].map(String);
    const reply = await commands.run(scripts('list'), workspacesSlot, values);
    const [flat, highest] = listing.parse(reply);
    const found = pairsOf(flat).map(([workspace, number]) => ({
      workspace,
      number: Number(number),
    }));
    return { found, highest };
  }

  function remember(workspace: string): void {
    if (known.size >= mostKnown) known.clear();
    known.add(workspace);
  }

  return {
    enlist,
    store: async (script, workspace, values) => {
      let number = known.has(workspace) ? '' : String(await enlist(workspace));
      for (;;) {
        const reply = await commands.run(script, workspace, [number, ...values]);
        if (reply !== 'unlisted') {
          remember(workspace);
          return reply;
        }
        number = String(await enlist(workspace));
      }
    },
    portions: async function* () {
      let after = 0;
      let upTo = Number.POSITIVE_INFINITY;
      for (;;) {
        const { found, highest } = await list(after, readAtOnce);
        // One that is listed anew meanwhile comes up again at the end.
        upTo = Math.min(upTo, highest);
        const portion = found.filter(({ number }) => number <= upTo);
        if (portion.length > 0) yield portion;
        const last = found.at(-1);
        if (last === undefined || last.number >= upTo || found.length < readAtOnce) return;
        after = last.number;
      }
    },
    leave: async (workspace) => {
      // First the number, then the look: what is stored behind the look is refused there,
      // and lists the workspace under a higher one, by which it stays.
      const number = String(await enlist(workspace));
      const values = [number, String(leftKnownMs)];
      const hasLeft = await commands.run(scripts('leave'), workspace, values);
      if (hasLeft === 1) {
        known.delete(workspace);
        await commands.run(scripts('delist'), workspacesSlot, [workspace, number]);
      }
    },
  };
}
