/** Admits, stores and queues questions without losing any that was accepted, and runs side tasks. */

import { randomUUID } from 'node:crypto';
import { planCall } from '../../council/estimate.ts';
import { AwayError } from '../../domain/failure.ts';
import type { Log } from '../../domain/log.ts';
import { type TurnRequest, turnRequestSchema } from '../../domain/turn.ts';
import { noteHeard } from '../../memory/forgetting/heard.ts';
import { type ChatMessage, ModelError } from '../../models/chat-model.ts';
import type {
  Asked,
  Ingress,
  OpenThread,
  Question,
  SideTask,
  SideTaskDone,
} from '../../platforms/platform.ts';
import { CoordinationError } from '../../queue/coordination.ts';
import type { NewTurn } from '../../store/store.ts';
import { AccessDeniedError, payerFor, RefusedError } from '../money/budgets.ts';
import type { Estimate } from '../money/money.ts';
import type { BotParts } from '../parts.ts';
import { readChannel } from '../places/channels.ts';
import { storedEventId, turnAskedBy, turnIn } from '../places/turns-of-place.ts';
import { heardStep } from '../running/surroundings.ts';
import { storeTrouble } from '../store-trouble-words.ts';
import { type Admitted, admit } from './admission.ts';
import type { KeptQuestions } from './kept-questions.ts';

/** See {@link Ingress.ask}. */
export async function ask(
  asked: Question,
  open: OpenThread | undefined,
  parts: BotParts,
  kept: KeptQuestions,
): Promise<Asked> {
  // Platforms' packets may lack anything. Invalid requests must not get into the store.
  const request = turnRequestSchema.parse({
    turnId: randomUUID(),
    ...asked,
    question: asked.question.trim(),
  });
  const isAbandoned = asked.turnId !== undefined;
  let isShown = false;
  const beginIn = async (admitted: Admitted): Promise<Asked> => {
    const { request: question } = admitted;
    if (!open) return begin(question, admitted, parts);
    if (!isAbandoned && !(await kept.claim(question))) return { status: 'dropped' };
    await noteHeardBy(question, parts);
    await kept.keep(question);
    isShown = true;
    const thread = await open(question);
    if (!thread) return { status: 'dropped' };
    if ('whyNot' in thread) return { status: 'refused', reason: thread.whyNot };
    const { threadId, eventId = question.eventId } = thread;
    return begin({ ...question, threadId, eventId }, admitted, parts);
  };
  let result: Asked;
  try {
    const admitted = await admit(request, parts);
    await using _reservation = admitted.reservation;
    result = await beginIn(admitted);
  } catch (error) {
    // A question that was shown as accepted is not refused. It resumes at the next start.
    const refused = refusalOf(error, asked, !isShown, parts.log);
    if (!refused) throw error;
    result = (!refused.isAway && (await acceptedBefore(asked, parts))) || refused;
  }
  if (isShown || isAbandoned) {
    // If this fails, the question is recognised at the next start.
    await kept.forget(asked).catch((error: unknown) => {
      parts.log.warn({ error }, 'a stored question was not removed: the store failed');
    });
  }
  return result;
}

/** A repeated question, whose own turn may have used up the limits that refuse it. */
async function acceptedBefore(
  asked: Question,
  { store: { turns } }: BotParts,
): Promise<Asked | undefined> {
  const known = await (asked.turnId === undefined
    ? turnAskedBy(turns, asked.eventId, asked)
    : turnIn(turns, asked, asked.turnId));
  return known && { status: 'accepted', turnId: known.turnId, isNew: false, turnsBefore: 0 };
}

/** Turns an error into a refusal. A failing store or queue is a temporary outage, not a bug. */
function refusalOf(
  error: unknown,
  { threadId, author: { id: userId } }: Question,
  mayBeAway: boolean,
  log: Log,
): Refused | undefined {
  // People are told at most once a day. Other refusals are logged where they are decided, or always told.
  if (error instanceof AccessDeniedError)
    log.info({ threadId, userId }, 'a question was refused: this person may not ask here');
  if (error instanceof RefusedError) return refusedBy(error);
  if (!(error instanceof AwayError) || !mayBeAway) return undefined;
  log.error({ threadId, userId, error }, 'a question was refused: the store failed');
  const what = 'The council can’t take questions at the moment';
  const reason = storeTrouble(error, { what, its: 'memory', threadId });
  return { status: 'refused', reason, isAway: true };
}

async function noteHeardBy(request: TurnRequest, { store, settings, now }: BotParts) {
  const { retentionDays } = settings;
  if (request.heard) await noteHeard(store, request, request.heard, { now, retentionDays });
}

async function begin(
  request: TurnRequest,
  { reservation, addToRecent }: Admitted,
  parts: BotParts,
): Promise<Extract<Asked, { status: 'accepted' }>> {
  const { store, queue, log, now } = parts;
  const { threadId, turnId } = request;
  const turnsBefore = await queue.waiting(threadId);
  await noteHeardBy(request, parts);
  const begun = await store.turns.begin(newTurnOf(request, now()));
  // Also queued for a known event: the process that stored it may have died before queueing it.
  // A turn that a process stored before it died keeps what it holds; running it releases that.
  const isOpen = begun.turnId === turnId ? reservation.handOver() : undefined;
  const queued = queue.add({ turnId: begun.turnId, threadId }, begun.earlier);
  await Promise.all([isOpen, queued]).catch((error: unknown) => {
    if (!(error instanceof CoordinationError)) throw error;
    // It is stored, and the workers check for such turns regularly.
    log.warn({ turnId: begun.turnId, error }, 'a turn is not queued yet: the queue failed');
  });
  if (begun.isNew) {
    await addToRecent(request).catch((error: unknown) => {
      log.warn({ turnId, error }, 'a question was not added to the latest: the store failed');
    });
  }
  const { language } = request;
  const accepted = { status: 'accepted', turnId: begun.turnId, isNew: begun.isNew } as const;
  return { ...accepted, turnsBefore, ...(language !== undefined && { language }) };
}

type Refused = Extract<Asked, { status: 'refused' }>;

/** The refusal that a platform shows. */
function refusedBy(error: RefusedError): Refused {
  const { message: reason, retryAfterMs, inPublic } = error;
  return {
    status: 'refused',
    reason,
    ...(inPublic !== undefined && { inPublic }),
    ...(error instanceof AccessDeniedError && { isStranger: true }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** Makes the turn of a question. @param createdAt - Milliseconds since 1970. */
function newTurnOf({ heard, ...request }: TurnRequest, createdAt: number): NewTurn {
  const { threadId, turnId, eventId, author, question, askedAt, repliesTo, isPrivate } = request;
  return {
    turnId,
    threadId,
    eventId: storedEventId(threadId, eventId),
    askedBy: author.id,
    request,
    ...(heard && { steps: [heardStep(heard)] }),
    question: {
      id: `${turnId}:question`,
      threadId,
      turnId,
      role: 'human',
      type: 'user_query',
      status: 'complete',
      author: author.name,
      content: { type: 'user_query', text: question },
      createdAt: askedAt,
      ...(repliesTo !== undefined && { parentId: storedEventId(threadId, repliesTo) }),
      ...(isPrivate !== undefined && { isPrivate }),
    },
    createdAt,
  };
}

/** How much of the conversation is sent with a side task, in characters. Enough for a title. */
const maxTaskChars = 24_000;
/** Limit of its reply in tokens, reasoning included. */
const maxOutputTokens = 2000;

/** Runs a small task of a chat program, e.g. a title, in one call of the compactor, the cheapest model. */
export async function runSideTask(
  { threadId, person, messages, signal }: SideTask,
  options: BotParts,
): Promise<SideTaskDone> {
  const { channel } = await readChannel(options, threadId);
  const { settings, council } = channel;
  const shown = cut(messages);
  const chars = shown.reduce((sum, { content }) => sum + content.length, 0);
  const estimate: Estimate = {
    what: 'this small task',
    calls: ({ compactor }) => [planCall('sideTask', compactor.id, chars)],
  };
  // Side tasks don't count as questions of the hour.
  const paying = { ...settings, questionsPerUserPerHour: 'unlimited' } as const;
  const payer = { ...payerFor(person, { threadId }), settings: paying };
  const inTime = AbortSignal.timeout(council.limits.moderatorTimeoutMs);
  try {
    return await options.money.pay(payer, estimate, async ({ compactor }, calls) => {
      const { text } = await compactor.complete({
        messages: shown,
        stage: 'side_task',
        maxOutputTokens,
        signal: AbortSignal.any([signal, inTime]),
      });
      return { status: 'done', text, calls } as const;
    });
  } catch (error) {
    if (error instanceof RefusedError) return refusedBy(error);
    if (error instanceof ModelError) return { status: 'failed', reason: error.message };
    if (signal.aborted) return { status: 'failed', reason: 'It was given up.' };
    if (inTime.aborted) return { status: 'failed', reason: 'The model took too long.' };
    throw error;
  }
}

/** Keeps the newest messages up to the limit, cutting the end of the oldest of them. The task is at its start. */
function cut(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  let room = maxTaskChars;
  return messages
    .toReversed()
    .flatMap(({ role, content }) => {
      const kept = content.slice(0, Math.max(0, room)).toWellFormed();
      room -= kept.length;
      return kept === '' ? [] : [{ role, content: kept }];
    })
    .toReversed();
}
