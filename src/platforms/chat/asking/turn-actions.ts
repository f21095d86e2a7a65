/** The actions that a turn and its verdict offer in every chat. Platforms encode them in their buttons. */

import { z } from 'zod';
import { type Docket, hasDocket } from '../../../domain/docket.ts';
import { english } from '../../../domain/languages/english.ts';
import { listedIn, turnWordsIn } from '../../../domain/languages/languages.ts';
import { modelsIn, type Ranked, type VerdictUses } from '../../../domain/stored-turn.ts';
import type { Seat, TurnRequest, Verdict } from '../../../domain/turn.ts';
import { type KnownCommand, parseCommandLine } from '../text/command-line.ts';
import { shortName, visibleName } from '../text/visible-text.ts';

const text = z.string().min(1);

/** Discord’s buttons encode the fields in this order, so it must not change. */
export const turnActions = [
  /** Stops a turn; for managers and the person who asked, according to the store. */
  z.object({ kind: z.literal('stop'), turnId: text }),
  /** Shows one person how a verdict came about. */
  z.object({
    kind: z.literal('view'),
    view: z.enum(['reviews', 'seats', 'receipt']),
    turnId: text,
  }),
  /** Rates a verdict. */
  z.object({ kind: z.literal('feedback'), rating: z.enum(['good', 'bad']), turnId: text }),
  /** Asks a sage again. `pick`: the choice from the menu, see {@link VerdictOffers}; absent: the menu itself. */
  z.object({ kind: z.literal('one'), turnId: text, pick: text.exactOptional() }),
  /** Asks a question that the verdict suggests; the first is 1. */
  z.object({ kind: z.literal('next'), number: z.coerce.number().int().min(1), turnId: text }),
  /** Posts the verdict to the channel. */
  z.object({ kind: z.literal('post'), turnId: text }),
  /** Runs a command line, e.g. `receipt abc`. */
  z.object({ kind: z.literal('run'), command: text }),
] as const;

export type TurnAction = z.infer<(typeof turnActions)[number]>;

/** The action to go deeper, if possible: not if nothing was ranked or there is a docket already. */
export function goDeeper(
  turnId: string,
  ranked: Ranked | undefined,
  docket: Docket | undefined,
): readonly TurnAction[] {
  if (!ranked?.ranking.places.length || hasDocket(docket)) return [];
  return [{ kind: 'run', command: `deeper --turn ${turnId}` }];
}

/** The command that an action runs. Throws if a `run` action contains no valid command line. */
export function commandBehind(
  action: TurnAction,
  commands: readonly KnownCommand[],
): { readonly command: string; readonly options: Readonly<Record<string, unknown>> } {
  const turn = 'turnId' in action ? action.turnId : '';
  switch (action.kind) {
    case 'stop':
    case 'post':
      return { command: action.kind, options: { turn } };
    case 'feedback':
      return { command: 'feedback', options: { turn, rating: action.rating } };
    case 'view':
      return action.view === 'receipt'
        ? { command: 'receipt', options: { turn } }
        : { command: 'reviews', options: { turn, show: action.view } };
    case 'one':
      return { command: 'again', options: { turn, ...readPick(action.pick ?? '') } };
    case 'next':
      return { command: 'next', options: { turn, question: `${action.number}` } };
    case 'run': {
      const line = parseCommandLine(action.command, commands);
      if (line.status !== 'read')
        throw new Error(`A button contained the invalid command “${action.command}”.`);
      return line;
    }
  }
}

/** A verdict, and how it has been used so far. */
export interface UsedVerdict extends Partial<VerdictUses> {
  readonly seats: readonly Seat[];
  readonly verdict: Verdict;
}

export interface VerdictOffers {
  /** Sages to ask again, at most {@link mostAgain}. */
  readonly again: readonly { readonly label: string; readonly pick: string }[];
  /** Suggested questions that have not been asked; the first number is 1. */
  readonly next: readonly { readonly question: string; readonly number: number }[];
  readonly mayPost: boolean;
  /** Small print about how it was used. */
  readonly notes: readonly string[];
}

/** Discord's limit for a menu. */
const mostAgain = 25;
/** Discord's limit for a menu value, in characters. */
const longestPick = 100;
const longestName = 40;

/** The actions that a verdict still offers. @param hasChannel - The verdict is in a thread of a channel, to which it can be posted. */
export function offersBelow(
  { seats, verdict, followed = [], posted }: UsedVerdict,
  hasChannel: boolean,
  words = english,
): VerdictOffers {
  const models = modelsIn(seats, verdict);
  const nameOf = ({ sage }: Seat) => shortName(sage.name, longestName);
  const again = seats.flatMap((seat) => [
    { label: nameOf(seat), pick: seat.sage.key },
    ...models
      .filter((model) => model !== seat.model)
      .map((model) => ({
        label: `${nameOf(seat)} (${model})`,
        pick: `${seat.sage.key} ${model}`,
      })),
  ]);
  const asked = new Set(followed.map(({ suggestion }) => suggestion));
  const next = (verdict.nextQuestions ?? []).flatMap((suggestion, index) => {
    const question = visibleName(suggestion);
    // Platforms reject a button without a label, and the whole verdict with it.
    return question === '' || asked.has(index) ? [] : [{ question, number: index + 1 }];
  });
  const names = seats
    .filter(({ sage }) => followed.some((one) => one.sage === sage.key))
    .map(nameOf);
  const isPosted = posted?.post !== undefined;
  return {
    again: again.filter(({ pick }) => pick.length <= longestPick).slice(0, mostAgain),
    next,
    mayPost: hasChannel && !isPosted,
    notes: [
      ...(names.length > 0 ? [words.askedAgain(listedIn(words, names, mostAgain))] : []),
      ...(isPosted ? [words.posted] : []),
    ],
  };
}

/** Parses a choice from the menu into options of the `again` command. */
export function readPick(pick: string): { readonly sage: string; readonly model?: string } {
  const [sage = '', model] = pick.split(' ', 2);
  return { sage, ...(model === undefined ? {} : { model }) };
}

/** A sentence about a turn that was started by a button below a verdict; `undefined` for other turns. */
export function askedBelow({
  follows,
  deepens,
  author,
  language,
}: Pick<TurnRequest, 'follows' | 'deepens' | 'author' | 'language'>): string | undefined {
  const words = turnWordsIn(language);
  if (deepens !== undefined) return words.deepens(author.name);
  if (!follows) return undefined;
  const { again } = follows;
  if (!again) return words.suggested(author.name);
  const { name, model } = again;
  return words.asksAgain(author.name, model === undefined ? name : `${name} (${model})`);
}
