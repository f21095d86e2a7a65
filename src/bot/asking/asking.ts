/** Takes in questions: each is judged, stored and queued, and none that was promised an answer is lost. */

import { randomUUID } from 'node:crypto';
import { AwayError } from '../../domain/failure.ts';
import { type TurnRequest, turnRequestSchema } from '../../domain/turn.ts';
import { noteHeard } from '../../memory/forgetting/heard.ts';
import type { Asked, Ingress, OpenThread, Question } from '../../platforms/platform.ts';
import { CoordinationError } from '../../queue/coordination.ts';
import type { NewTurn } from '../../store/store.ts';
import { NotLetInError, RefusedError } from '../money/budgets.ts';
import type { BotParts } from '../parts.ts';
import { storedEventId } from '../places/turns-of-place.ts';
import { asStored } from '../running/hearing.ts';
import { storeTrouble } from '../store-trouble-words.ts';
import { Admission, type Admitted } from './admission.ts';
import { KeptQuestions } from './kept-questions.ts';

export class Asking implements Pick<Ingress, 'ask' | 'abandoned'> {
  readonly #options: BotParts;
  readonly #admission: Admission;
  readonly #kept: KeptQuestions;

  constructor(options: BotParts) {
    this.#options = options;
    this.#admission = new Admission(options);
    this.#kept = new KeptQuestions(options);
  }

  async ask(asked: Question, open?: OpenThread): Promise<Asked> {
    // What could not be read back from the store must not get into it: a platform's packet may lack anything.
    const request = turnRequestSchema.parse({
      ...{ turnId: randomUUID(), ...asked, question: asked.question.trim() },
    });
    const isAbandoned = asked.turnId !== undefined;
    let isShown = false;
    const begin = async (admitted: Admitted): Promise<Asked> => {
      const { request: question } = admitted;
      if (!open) return this.#begin(question, admitted);
      if (!isAbandoned && !(await this.#kept.claim(question))) return { status: 'dropped' };
      await this.#noteHeard(question);
      await this.#kept.keep(question);
      isShown = true;
      const thread = await open(question);
      if (!thread) return { status: 'dropped' };
      if ('whyNot' in thread) return { status: 'refused', reason: thread.whyNot };
      const { threadId, eventId = question.eventId } = thread;
      return this.#begin({ ...question, threadId, eventId }, admitted);
    };
    let result: Asked;
    try {
      const admitted = await this.#admission.admit(request);
      await using _held = admitted.held;
      result = await begin(admitted);
    } catch (error) {
      // People who saw that it was taken are not told otherwise: it resumes at the next start.
      const refused = this.#refusal(error, asked.threadId, !isShown);
      if (!refused) throw error;
      result = refused;
    }
    if (isShown || isAbandoned) {
      // A question that stays kept is recognised at the next start.
      await this.#kept.forget(asked).catch((error: unknown) => {
        this.#options.log.warn({ error }, 'a stored question was not removed: the store failed');
      });
    }
    return result;
  }

  abandoned(platform: string): Promise<readonly TurnRequest[]> {
    return this.#kept.abandoned(platform);
  }

  /** A store or a queue that fails keeps questions out for a while; that is no fault of the program. */
  #refusal(
    error: unknown,
    threadId: string,
    mayBeAway: boolean,
  ): Extract<Asked, { status: 'refused' }> | undefined {
    if (error instanceof RefusedError) return refusedBy(error);
    if (!(error instanceof AwayError) || !mayBeAway) return undefined;
    this.#options.log.error({ error }, 'a question was refused: the store failed');
    const what = 'The council can’t take questions at the moment';
    const reason = storeTrouble(error, { what, its: 'memory', threadId });
    return { status: 'refused', reason, isAway: true };
  }

  async #noteHeard(request: TurnRequest): Promise<void> {
    const { store, settings, now } = this.#options;
    const { retentionDays } = settings;
    if (request.heard) await noteHeard(store, request, request.heard, { now, retentionDays });
  }

  async #begin(
    request: TurnRequest,
    { held, keep }: Pick<Admitted, 'held' | 'keep'>,
  ): Promise<Extract<Asked, { status: 'accepted' }>> {
    const { store, queue, log, now } = this.#options;
    const { threadId, turnId } = request;
    const turnsBefore = await queue.waiting(threadId);
    await this.#noteHeard(request);
    const begun = await store.turns.begin(newTurnOf(request, now()));
    // Also for a known event: the process that claimed it may have died before it was queued.
    const isOpen = begun.isNew ? held.handOver() : undefined;
    const queued = queue.add({ turnId: begun.turnId, threadId }, begun.earlier);
    await Promise.all([isOpen, queued]).catch((error: unknown) => {
      if (!(error instanceof CoordinationError)) throw error;
      // It is stored: the workers look for such turns every while.
      log.warn({ turnId: begun.turnId, error }, 'a turn is not queued yet: the queue failed');
    });
    if (begun.isNew) {
      await keep(request).catch((error: unknown) => {
        log.warn({ turnId, error }, 'a question was not added to the latest: the store failed');
      });
    }
    return { status: 'accepted', turnId: begun.turnId, isNew: begun.isNew, turnsBefore };
  }
}

/** What a platform is told of it. */
export function refusedBy(error: RefusedError): Extract<Asked, { status: 'refused' }> {
  const { message: reason, retryAfterMs } = error;
  const isStranger = error instanceof NotLetInError;
  return {
    ...{ status: 'refused', reason },
    ...(isStranger && { isStranger }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** A question as the turn that the store begins. @param createdAt - Milliseconds since 1970. */
function newTurnOf({ heard, ...request }: TurnRequest, createdAt: number): NewTurn {
  const { threadId, turnId, eventId, author, question, askedAt, repliesTo, isPrivate } = request;
  return {
    turnId,
    threadId,
    eventId: storedEventId(threadId, eventId),
    askedBy: author.id,
    request,
    ...(heard && { steps: [asStored({ kind: 'heard', key: '', data: heard })] }),
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
