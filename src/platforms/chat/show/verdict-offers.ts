/** What people can do below a verdict, as far as it has not been done. */

import type { VerdictUses } from '../../../domain/stored-turn.ts';
import { modelsIn, type Seat, type TurnRequest, type Verdict } from '../../../domain/turn.ts';
import { listed } from '../../../domain/words.ts';
import { shortName } from '../text/visible-text.ts';

/** A verdict, and what has been done with it so far. */
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
  /** Small print on what was done. */
  readonly notes: readonly string[];
}

export const againLabel = 'Ask one sage again …';
export const postLabel = 'Post to the channel';

/** Discord's bound for a menu. */
const mostAgain = 25;
/** Discord's bound for a value, in characters. */
const longestPick = 100;
const longestName = 40;

/** @param hasChannel - The verdict stands in a thread of a channel, so that it can be posted there. */
export function offersBelow(
  { seats, verdict, followed = [], posted }: UsedVerdict,
  hasChannel: boolean,
): VerdictOffers {
  const models = modelsIn(seats, verdict);
  const nameOf = ({ sage }: Seat) => shortName(sage.name, longestName);
  const again = seats.flatMap((seat) => [
    { label: nameOf(seat), pick: seat.sage.key },
    ...models
      .filter((model) => model !== seat.model)
      .map((model) => ({
        label: `${nameOf(seat)} with ${model}`,
        pick: `${seat.sage.key} ${model}`,
      })),
  ]);
  const asked = new Set(followed.map(({ suggestion }) => suggestion));
  const next = (verdict.nextQuestions ?? []).flatMap((question, index) =>
    asked.has(index) ? [] : [{ question, number: index + 1 }],
  );
  const names = seats
    .filter(({ sage }) => followed.some((one) => one.sage === sage.key))
    .map(nameOf);
  const isPosted = posted?.post !== undefined;
  return {
    again: again.filter(({ pick }) => pick.length <= longestPick).slice(0, mostAgain),
    next,
    mayPost: hasChannel && !isPosted,
    notes: [
      ...(names.length > 0 ? [`Asked again since: ${listed(names)}.`] : []),
      ...(isPosted ? ['Posted to the channel.'] : []),
    ],
  };
}

/** What was chosen in the menu, as the command takes it. */
export function readPick(pick: string): { readonly sage: string; readonly model?: string } {
  const [sage = '', model] = pick.split(' ', 2);
  return { sage, ...(model === undefined ? {} : { model }) };
}

/** That a turn was picked below a verdict, as a plain sentence; absent: it was asked in words. */
export function askedBelow({
  follows,
  author,
}: Pick<TurnRequest, 'follows' | 'author'>): string | undefined {
  if (!follows) return undefined;
  const { again } = follows;
  if (!again) return `${author.name} asks what the verdict suggested.`;
  const how = again.model === undefined ? '' : ` with ${again.model}`;
  return `${author.name} asks ${again.name} again${how}. The earlier answer stays, and is not shown to this sage.`;
}
