/** What a command can do with turns, for one person in one place. */

import { randomUUID } from 'node:crypto';
import { CommandError } from '../../../commands/command.ts';
import type { CommandContext } from '../../../commands/context.ts';
import { readPastTurn, type TurnStep } from '../../council/past-turn.ts';
import { type Ingress, questionIn } from '../../platforms/platform.ts';
import type { TurnRecord } from '../../store/store.ts';
import type { BotParts } from '../parts.ts';
import type { Here } from '../places/channels.ts';
import { turnIn } from '../places/turns-of-place.ts';

export type TurnVerbs = Pick<CommandContext, 'ask' | 'turn' | 'stop' | 'rate'>;

/** How many of a thread's newest turns are checked for unfinished ones. */
const mostLookedAt = 50;

export function turnVerbs(
  { place, person }: Here,
  { store: { turns }, stops, now }: Pick<BotParts, 'store' | 'stops' | 'now'>,
  bot: Pick<Ingress, 'ask'>,
): TurnVerbs {
  function mayStop(record: TurnRecord): boolean {
    return person.isManager || readPastTurn(record).request.author.id === person.id;
  }

  async function stopTurn(turnId: string): Promise<number> {
    const record = await turnIn(turns, place, turnId);
    if (!record || record.status === 'ended') return 0;
    if (!mayStop(record)) {
      throw new CommandError(
        'Only the person who asked, and those who manage this channel, can stop it.',
      );
    }
    await stops.request(turnId);
    return 1;
  }

  /** Stops what the person asked in the thread; for managers, everything. */
  async function stopThread(): Promise<number> {
    const headers = await turns.list(place.threadId, { limit: mostLookedAt });
    const unfinished = headers.filter(({ status }) => status !== 'ended');
    const records = await Promise.all(unfinished.map((header) => turns.read(header)));
    const theirs = records.flatMap((record) =>
      record && record.status !== 'ended' && mayStop(record) ? record.turnId : [],
    );
    await Promise.all(theirs.map((turnId) => stops.request(turnId)));
    return theirs.length;
  }

  return {
    ask: (question, choice) =>
      bot.ask(
        questionIn(place, {
          ...{ eventId: `command:${randomUUID()}`, question, person, askedAt: now() },
          ...choice,
        }),
      ),
    turn: (turnId) => turnIn(turns, place, turnId),
    stop: (turnId) => (turnId === undefined ? stopThread() : stopTurn(turnId)),
    rate: async (turnId, rating) => {
      const record = await turnIn(turns, place, turnId);
      const step: TurnStep = { kind: 'feedback', key: person.id, data: { rating } };
      return record !== undefined && turns.remark(record, step);
    },
  };
}
