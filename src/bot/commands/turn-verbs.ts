/** What a command can do with turns, for one person in one place. */

import { randomUUID } from 'node:crypto';
import { CommandError, type Person, type Place } from '../../../commands/command.ts';
import type { CommandContext } from '../../../commands/context.ts';
import { readPastTurn, type TurnStep } from '../../council/past-turn.ts';
import { receiptOf } from '../../council/receipt.ts';
import { type Ingress, questionIn } from '../../platforms/platform.ts';
import type { TurnRecord, TurnStore } from '../../store/store.ts';
import { turnIn } from '../places/turns-of-place.ts';

export type TurnVerbs = Pick<CommandContext, 'ask' | 'receipt' | 'deliberation' | 'stop' | 'rate'>;

/** Of the turns of a thread, how many are looked at for one that has not ended. */
const mostLookedAt = 50;

export function turnVerbs(options: {
  readonly place: Place;
  /** With all that they may do. */
  readonly person: Person;
  readonly bot: Pick<Ingress, 'ask' | 'stop'>;
  readonly turns: TurnStore;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}): TurnVerbs {
  const { place, person, bot, turns, now } = options;

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
    return Number(await bot.stop(turnId, place));
  }

  /** What the person asked in the thread; for managers what everybody did. */
  async function stopThread(): Promise<number> {
    const headers = await turns.list(place.threadId, { limit: mostLookedAt });
    const unfinished = headers.filter(({ status }) => status !== 'ended');
    const records = await Promise.all(unfinished.map((header) => turns.read(header)));
    const theirs = records.filter((record) => record !== undefined).filter(mayStop);
    const stopped = await Promise.all(theirs.map(({ turnId }) => bot.stop(turnId, place)));
    return stopped.filter(Boolean).length;
  }

  return {
    ask: (question, choice) =>
      bot.ask(
        questionIn(place, {
          ...{ eventId: `command:${randomUUID()}`, question, person, askedAt: now() },
          ...choice,
        }),
      ),
    receipt: async (turnId) => {
      const record = await turnIn(turns, place, turnId);
      return (
        record && receiptOf(readPastTurn(record), record.outcome ?? record.status, record.usage)
      );
    },
    deliberation: async (turnId) => {
      const record = await turnIn(turns, place, turnId);
      return record && readPastTurn(record);
    },
    stop: (turnId) => (turnId === undefined ? stopThread() : stopTurn(turnId)),
    rate: async (turnId, rating) => {
      const record = await turnIn(turns, place, turnId);
      const step: TurnStep = { kind: 'feedback', key: person.id, data: { rating } };
      return record !== undefined && turns.remark(record, step);
    },
  };
}
