/** Asks, stops, rates and shares turns for a person in a place. */

import { randomUUID } from 'node:crypto';
import { CommandError } from '../../../commands/command.ts';
import { type CommandContext, noSuchTurn } from '../../../commands/context.ts';
import { readPastTurn, type TurnStep } from '../../council/past-turn.ts';
import { type Ingress, type Invocation, questionIn } from '../../platforms/platform.ts';
import type { BotParts } from '../parts.ts';
import type { Here } from '../places/channels.ts';
import { existingTurn, withPast } from '../places/turns-of-place.ts';
import { requestStop } from '../running/running.ts';
import { assertMayManageTurn, mayManageTurn } from './rights.ts';

/** How many of a thread's newest turns are searched for unfinished ones. */
const maxSearched = 50;
/** By how much the clocks of a platform and of this process may differ, in milliseconds. */
const clocksDifferByMs = 60_000;

export function turnVerbs(
  { place, person }: Here,
  parts: Pick<BotParts, 'store' | 'stops' | 'links' | 'now'>,
  bot: Pick<Ingress, 'ask'>,
  { eventId, saidAt = Number.POSITIVE_INFINITY }: Pick<Invocation, 'eventId' | 'saidAt'>,
): Pick<CommandContext, 'ask' | 'turn' | 'stop' | 'rate' | 'share' | 'unshare'> {
  const { links, now } = parts;
  const { turns } = parts.store;

  async function stopTurn(turnId: string): Promise<number> {
    const record = await existingTurn(turns, place, turnId);
    if (record.status === 'ended') return 0;
    assertMayManageTurn(person, readPastTurn(record).request, 'stop it');
    await requestStop(record, parts);
    return 1;
  }

  /** Stops the person's turns in the thread, or all of them for managers. */
  async function stopThread(): Promise<number> {
    const headers = await turns.list(place.threadId, { limit: maxSearched });
    const unfinished = headers.filter(({ status }) => status !== 'ended');
    const records = await Promise.all(unfinished.map((header) => turns.read(header)));
    const theirs = records.flatMap((record) => {
      const request = record && readPastTurn(record).request;
      const isMeant = request && request.askedAt <= saidAt + clocksDifferByMs;
      return isMeant && mayManageTurn(person, request) ? record : [];
    });
    await Promise.all(theirs.map((record) => requestStop(record, parts)));
    return theirs.length;
  }

  const asked = { eventId: eventId ?? `command:${randomUUID()}`, person, askedAt: now() };

  /** Finds a turn that this person may share. */
  async function findShareable(turnId: string | undefined) {
    const record = await existingTurn(turns, place, turnId);
    if (!links) {
      throw new CommandError(
        'There are no links here, because this council is not on the web. Its operator sets `web.port` and `web.publicUrl`.',
      );
    }
    assertMayManageTurn(person, readPastTurn(record).request, 'share it');
    return { links, record };
  }

  return {
    share: async (turnId) => {
      const found = await findShareable(turnId);
      if (found.record.status !== 'ended') {
        throw new CommandError('That question has no verdict yet. Share it when it has.');
      }
      return found.links.make(found.record);
    },
    unshare: async (turnId) => {
      const found = await findShareable(turnId);
      await found.links.withdraw(found.record);
    },
    ask: (question, choice) => bot.ask(questionIn(place, { ...asked, question, ...choice })),
    turn: async (turnId) => withPast(turns, await existingTurn(turns, place, turnId)),
    stop: (turnId) => (turnId === undefined ? stopThread() : stopTurn(turnId)),
    rate: async (turnId, rating) => {
      const record = await existingTurn(turns, place, turnId);
      const step: TurnStep = { kind: 'feedback', key: person.id, data: { rating } };
      if (!(await turns.remark(record, step))) throw noSuchTurn(turnId);
    },
  };
}
