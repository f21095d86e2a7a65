/** Asks, deepens, stops, rates and shares turns for a person in a place. */

import { randomUUID } from 'node:crypto';
import { CommandError } from '../../../commands/command.ts';
import { type CommandContext, noSuchTurn, type Taken } from '../../../commands/context.ts';
import { type PastTurn, readPastTurn, type TurnStep } from '../../council/past-turn.ts';
import { hasDocket } from '../../domain/docket.ts';
import { type Ingress, questionIn } from '../../platforms/platform.ts';
import type { BotParts } from '../parts.ts';
import type { Here } from '../places/channels.ts';
import { existingTurn, placeOfTurn } from '../places/turns-of-place.ts';
import { assertMayManageTurn, mayManageTurn } from './rights.ts';

export type TurnVerbs = Pick<
  CommandContext,
  'ask' | 'deepen' | 'turn' | 'stop' | 'rate' | 'share' | 'unshare'
>;

/** How many of a thread's newest turns are searched for unfinished ones. */
const maxSearched = 50;

const deepenedAlready = 'The council is going deeper into this already.';

/** Why a turn can't be deepened, in words. `undefined`: it can. */
function whyNotDeeper(past: PastTurn, answers: PastTurn['answers']): string | undefined {
  if (!past.ended) return 'That question has no verdict yet. Go deeper when it has.';
  if (past.deepenedBy !== undefined) return deepenedAlready;
  if (hasDocket(past.round?.docket)) return 'That verdict has gone as deep as it goes.';
  const given = answers.filter(({ status }) => status === 'answered').length;
  return given > 1 && past.reviews.length > 0
    ? undefined
    : 'To go deeper, a verdict needs answers that were reviewed. Ask with depth deep instead.';
}

/** @param eventId - The command's event. Absent: it has none that a turn could be attached to. */
export function turnVerbs(
  { place, person }: Here,
  { store, stops, links, now }: Pick<BotParts, 'store' | 'stops' | 'links' | 'now'>,
  bot: Pick<Ingress, 'ask'>,
  eventId: string | undefined,
): TurnVerbs {
  const { turns } = store;

  async function stopTurn(turnId: string): Promise<number> {
    const record = await existingTurn(turns, place, turnId);
    if (record.status === 'ended') return 0;
    assertMayManageTurn(person, readPastTurn(record).request, 'stop it');
    await stops.request(turnId);
    return 1;
  }

  /** Stops the person's turns in the thread, or all of them for managers. */
  async function stopThread(): Promise<number> {
    const headers = await turns.list(place.threadId, { limit: maxSearched });
    const unfinished = headers.filter(({ status }) => status !== 'ended');
    const records = await Promise.all(unfinished.map((header) => turns.read(header)));
    const theirs = records.flatMap((record) =>
      record && mayManageTurn(person, readPastTurn(record).request) ? record.turnId : [],
    );
    await Promise.all(theirs.map((turnId) => stops.request(turnId)));
    return theirs.length;
  }

  const asked = { eventId: eventId ?? `command:${randomUUID()}`, person, askedAt: now() };

  async function deepen(turnId: string | undefined): Promise<Taken> {
    const record = await existingTurn(turns, place, turnId);
    const past = readPastTurn(record);
    const { turnId: pressed, threadId } = record;
    const { deepens = pressed } = past.request;
    // A turn that deepens another has the answers of that one.
    const first = deepens === pressed ? undefined : await turns.read({ turnId: deepens, threadId });
    const { answers } = first ? readPastTurn(first) : past;
    const complaint = whyNotDeeper(past, answers);
    if (complaint !== undefined) throw new CommandError(complaint);
    const { question } = past.request;
    // Repeated clicks are one event, which is asked once.
    const eventId = `deeper:${pressed}`;
    const there = placeOfTurn(past.request, place);
    const depth = 'deep' as const;
    const taken = await bot.ask(questionIn(there, { ...asked, eventId, question, depth, deepens }));
    if (taken.status === 'accepted') {
      const step: TurnStep = { kind: 'deepened', key: '', data: { turnId: taken.turnId } };
      await turns.remark(record, step);
    }
    return taken;
  }

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
    deepen,
    turn: (turnId) => existingTurn(turns, place, turnId),
    stop: (turnId) => (turnId === undefined ? stopThread() : stopTurn(turnId)),
    rate: async (turnId, rating) => {
      const record = await existingTurn(turns, place, turnId);
      const step: TurnStep = { kind: 'feedback', key: person.id, data: { rating } };
      if (!(await turns.remark(record, step))) throw noSuchTurn(turnId);
    },
  };
}
