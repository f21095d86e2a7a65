/** What the buttons below a turn do, in every chat. How they carry it is the platform's own. */

import { z } from 'zod';
import { type Docket, hasDocket } from '../../../domain/docket.ts';
import type { Ranked } from '../../../domain/stored-turn.ts';
import { readPick } from '../show/verdict-offers.ts';
import { type KnownCommand, parseCommandLine } from '../text/command-line.ts';

const text = z.string().min(1);

/** Discord’s buttons hold the facts in the order in which they stand here, so that order stays. */
export const turnActions = [
  /** Stops a turn; for the person who asked it, as the store knows, and for managers. */
  z.object({ kind: z.literal('stop'), turnId: text }),
  /** Shows to one person how a verdict came about. */
  z.object({
    kind: z.literal('view'),
    // Posts of earlier versions have a button for the ballots, which stand below their reviews now.
    view: z.preprocess(
      (view) => (view === 'ballots' ? 'reviews' : view),
      z.enum(['reviews', 'seats', 'receipt']),
    ),
    turnId: text,
  }),
  /** Says what one thinks of a verdict. */
  z.object({ kind: z.literal('feedback'), rating: z.enum(['good', 'bad']), turnId: text }),
  /** Asks a sage again; `pick` is what was chosen in the menu, see `verdict-offers.ts`; absent: the menu itself. */
  z.object({ kind: z.literal('one'), turnId: text, pick: text.exactOptional() }),
  /** Asks a question that the verdict suggests; the first is 1. */
  z.object({ kind: z.literal('next'), number: z.coerce.number().int().min(1), turnId: text }),
  /** Puts the verdict into the channel. */
  z.object({ kind: z.literal('post'), turnId: text }),
  /** Runs a command line, e.g. `receipt abc`. */
  z.object({ kind: z.literal('run'), command: text }),
] as const;

export type TurnAction = z.infer<(typeof turnActions)[number]>;

export const deeperLabel = 'Go deeper';

/** Goes on from a verdict at depth `deep`: at most one action, none where nothing was ranked or a docket is there. */
export function goDeeper(
  turnId: string,
  ranked: Ranked | undefined,
  docket: Docket | undefined,
): readonly TurnAction[] {
  if (!ranked?.ranking.places.length || hasDocket(docket)) return [];
  return [{ kind: 'run', command: `deeper --turn ${turnId}` }];
}

/** The command that does what a button says. Throws for a line that is no command. */
export function commandBehind(
  action: TurnAction,
  commands: readonly KnownCommand[],
): { readonly command: string; readonly options: Readonly<Record<string, unknown>> } {
  switch (action.kind) {
    case 'stop':
      return { command: 'stop', options: { turn: action.turnId } };
    case 'feedback': {
      const { turnId: turn, rating } = action;
      return { command: 'feedback', options: { turn, rating } };
    }
    case 'view': {
      const { turnId: turn, view } = action;
      return view === 'receipt'
        ? { command: 'receipt', options: { turn } }
        : { command: 'reviews', options: { turn, show: view } };
    }
    case 'one':
      return { command: 'again', options: { turn: action.turnId, ...readPick(action.pick ?? '') } };
    case 'next': {
      const { turnId: turn, number } = action;
      return { command: 'next', options: { turn, question: `${number}` } };
    }
    case 'post':
      return { command: 'post', options: { turn: action.turnId } };
    case 'run': {
      const line = parseCommandLine(action.command, commands);
      if (line.status !== 'read') throw new Error(`A button carried “${action.command}”.`);
      return line;
    }
  }
}
