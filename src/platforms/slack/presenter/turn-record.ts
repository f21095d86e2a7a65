/** What of a turn is in its thread already. */

import { type MessageMark, readReplies } from '../api/messages.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { SlackPlace } from '../thread-id.ts';

/** A message of the app that was begun and not ended: it carries no mark yet. */
export interface BegunMessage {
  readonly ts: string;
  /** Under which it is said; absent: the app's own. */
  readonly username: string | undefined;
  readonly text: string;
}

export interface TurnRecord {
  /** `ts` of what was said whole, by part. */
  readonly parts: ReadonlyMap<string, string>;
  /** Said after the turn's first message, oldest first. */
  readonly begun: readonly BegunMessage[];
}

export const emptyRecord: TurnRecord = { parts: new Map(), begun: [] };

/** The message that a turn begins with. */
export const firstPart = 'progress';
/** The post that shows what was asked by command. */
export const questionPart = 'question';

/** Clocks differ, and a turn's messages are known by their marks anyway. */
const marginMs = 600_000;

/** From when on the messages of a turn are looked for, in seconds since 1970; nothing of it is older. */
export function sinceAsked(askedAt: number): string {
  return ((askedAt - marginMs) / 1000).toFixed(6);
}

/**
 * Reads a thread once.
 *
 * @param since - Seconds since 1970; nothing of the turn is older.
 * @param botId - By which the app's own messages are known.
 */
export async function readTurn(
  api: SlackApi,
  place: SlackPlace,
  turnId: string,
  since: string,
  botId: string,
): Promise<TurnRecord> {
  const own = (await readReplies(api, place, since)).filter((message) => message.botId === botId);
  const isOfTurn = (mark: MessageMark | undefined) => mark?.turnId === turnId;
  const parts = new Map(
    own.flatMap(({ ts, mark }) => (mark && isOfTurn(mark) ? [[mark.part, ts] as const] : [])),
  );
  const first = parts.get(firstPart);
  // What carries no mark is of the turn whose first message came last, be it a later turn's that was run before.
  const beginnings = own.filter(({ mark }) => mark?.part === firstPart);
  const beginningOf = (ts: string) => beginnings.findLast((one) => one.ts < ts)?.ts;
  return {
    parts,
    begun: own.filter(({ ts, mark }) => !mark && first !== undefined && beginningOf(ts) === first),
  };
}
