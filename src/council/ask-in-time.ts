/** A call that has its time, and whose failure is data. */

import type { ChatModel, ChatRequest } from '../models/chat-model.ts';
import {
  askInShape,
  type ReplyShape,
  type Shaped,
  type ShapeListener,
} from '../models/structured.ts';
import { type Failure, failureOf, startDeadline } from './cutoff.ts';

/** What is asked, for how long, and of whom. */
export interface TimedRequest extends Pick<ChatRequest, 'messages' | 'stage' | 'signal'> {
  readonly timeoutMs: number;
  /** Named where it does not answer in time, e.g. `The chair`. */
  readonly who: string;
}

/**
 * Asks for a reply in a shape; the time it waits for its turn at a provider does not count.
 *
 * @param listen - As that of `askInShape`.
 * @throws Only when the signal was aborted with a stop or a shutdown, and for a fault in the code.
 */
export async function askInTime<T>(
  model: ChatModel,
  { timeoutMs, who, ...asked }: TimedRequest,
  shape: ReplyShape<T>,
  listen?: ShapeListener,
): Promise<Shaped<T> | ({ readonly status: 'failed' } & Failure)> {
  const deadline = startDeadline(asked.signal, timeoutMs, who);
  try {
    const request = { ...asked, signal: deadline.signal, onWait: deadline.pause };
    return await askInShape(model, request, shape, listen);
  } catch (error) {
    const failure = failureOf(error);
    if (failure.reason === 'stopped') throw error;
    return { status: 'failed', ...failure };
  } finally {
    deadline.clear();
  }
}
