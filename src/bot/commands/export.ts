/** Exports conversations and writes minutes. */

import { CommandError } from '../../../commands/command.ts';
import { failureOf, startDeadline } from '../../council/cutoff.ts';
import { planCall } from '../../council/estimate.ts';
import type { TurnStep } from '../../council/past-turn.ts';
import { languageRule } from '../../council/prompts/moderator-prompt.ts';
import { channelOf, workspaceOf } from '../../domain/thread-id.ts';
import { seatedSchema } from '../../domain/turn.ts';
import { nameFromKey, namesOf } from '../../domain/words.ts';
import { type ReadPlace, readPerson, readPlace } from '../../memory/export/read-place.ts';
import { discussionOf, maxMinutedQuestions } from '../../memory/minutes/discussion.ts';
import { type Minutes, writeMinutes } from '../../memory/minutes/minutes.ts';
import { chartsOf } from '../../memory/minutes/report.ts';
import { languageFor } from '../../memory/recall/retrieval/language.ts';
import type { Step, Store } from '../../store/store.ts';
import { payerFor } from '../money/budgets.ts';
import type { Estimate } from '../money/money.ts';
import type { BotParts } from '../parts.ts';
import type { Here } from '../places/channels.ts';
import { lastTurns, satIn } from '../places/turns-of-place.ts';
import { assertManager, assertRested } from './rights.ts';

/** Reads a thread, a channel or what the person asked, for an export. Throws `CommandError` without the permission. */
export async function exportFor(
  { place, person }: Pick<Here, 'place' | 'person'>,
  { store }: { readonly store: Store },
  reach: 'thread' | 'mine' | 'channel',
): Promise<ReadPlace> {
  const { threadId, isPrivate = true, isPrivateThread = false } = place;
  if (reach === 'mine') {
    const own = { workspace: workspaceOf(threadId), personId: person.id };
    await assertRested(store, ['export', own.workspace, own.personId]);
    return readPerson(store, own, exportedSteps);
  }
  if (reach === 'channel') {
    assertManager(person, 'take all of it along; without a scope you get this thread');
    await assertRested(store, ['export', channelOf(threadId), person.id]);
  }
  // A private thread is read like a public place, without other private threads.
  const seenFrom = isPrivate && !isPrivateThread ? 'private' : 'public';
  return readPlace(store, { threadId, reach }, seenFrom, exportedSteps);
}

type Export = (step: Step) => Step;

const whole: Export = (step) => step;

/** The steps that everybody in a place may see, as exported. All others stay where they are. */
const exporters: Readonly<Partial<Record<TurnStep['kind'], Export>>> = {
  own_answer: whole,
  reviewed: whole,
  docket: whole,
  rebutted: whole,
  recast: whole,
  ranked: whole,
  verdict: whole,
  scored: whole,
  followed: whole,
  // Prompts belong to the people who made them.
  seated: (step) => {
    const { seats, ...seated } = seatedSchema.parse(step.data);
    const shared = seats.map(({ sage: { prompt: _, ...sage }, ...seat }) => ({ ...seat, sage }));
    return { ...step, data: { ...seated, seats: shared } };
  },
  // Recalled memories carry the ids of other threads.
  ended: ({ data: { memory: _, ...data }, ...step }) => ({ ...step, data }),
  // The id of the post means nothing elsewhere.
  posted: ({ data: { post: _, ...data }, ...step }) => ({ ...step, data }),
};
const byKind = new Map(Object.entries(exporters));

/** A step as exported. Empty if its kind is unknown or not for everybody. */
export function exportedSteps(step: Step): readonly Step[] {
  const exported = byKind.get(step.kind);
  return exported ? [exported(step)] : [];
}

/** The pause between two minutes of one thread, in milliseconds. Each calls models and fills the thread. */
const pauseMs = 60_000;

/**
 * Writes minutes of the thread at the expense of the person who asks. Throws `CommandError` if nothing has been
 * said, a budget is exceeded or a model fails.
 */
export async function minutesOf(
  { place, person, channel }: Here,
  { store, money }: Pick<BotParts, 'store' | 'money'>,
): Promise<Minutes> {
  const { threadId } = place;
  const { settings, council, known } = channel;
  const [interactions, last, turns] = await Promise.all([
    store.messages.recent(threadId, { limit: maxMinutedQuestions }),
    lastTurns(store.turns, threadId),
    store.turns.list(threadId, { limit: maxMinutedQuestions }),
  ]);
  const isAnswering = turns.some(({ status }) => status !== 'ended');
  if (interactions.length === 0) {
    throw new CommandError(
      isAnswering
        ? 'The council is still answering here. Ask for the minutes when it has ended.'
        : 'Nothing has been answered in this thread yet, so there is nothing to write minutes of.',
    );
  }
  const nameOf = namesOf([...satIn(last), ...known.sages], nameFromKey);
  const discussion = discussionOf(interactions, nameOf, isAnswering);
  const text = discussion.said.map((one) => one.text).join('\n');
  const estimate: Estimate = {
    what: 'writing these minutes',
    calls: ({ compactor, chair }) => [
      planCall('brief', compactor.id, text.length),
      planCall('repairedBrief', compactor.id, text.length),
      planCall('record', chair.id, text.length),
    ],
  };
  const payer = { ...payerFor(person, place), settings };
  return money.pay(payer, estimate, async ({ compactor, chair }) => {
    if (!(await store.claim(`minutes:${threadId}`, pauseMs))) {
      throw new CommandError('Minutes of this thread have just been asked for. Try in a minute.');
    }
    // Enough for the brief and the record, with their repairs.
    const timeoutMs = 2 * council.limits.chairTimeoutMs;
    const deadline = startDeadline(new AbortController().signal, timeoutMs, 'The minute keeper');
    try {
      return await writeMinutes(discussion, {
        questions: last.toReversed().flatMap((turn) => chartsOf(turn) ?? []),
        timeZone: settings.timeZone,
        briefModel: compactor,
        recordModel: chair,
        language: await languageFor(text, settings.language),
        languageRule: languageRule(council, 'all of it'),
        signal: deadline.signal,
        onWait: deadline.onWait,
      });
    } catch (error) {
      throw new CommandError(`No minutes could be written. ${failureOf(error).explanation}`, {
        cause: error,
      });
    } finally {
      deadline.clear();
    }
  });
}
