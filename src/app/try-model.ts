import { z } from 'zod';
import type { ChatModel } from '../models/chat-model.ts';
import { withRetry } from '../models/retry.ts';
import { askInShape } from '../models/structured.ts';

/** Any shape will do: each part of a council has its own. */
const answerShape = { name: 'answer', schema: z.object({ answer: z.string() }) };

/**
 * Asks a model what a council asks, in the same way: a streamed answer in a shape, as a sage gives it, and a
 * plain one, as a reviewer does.
 *
 * @returns What people should know of it, e.g. `speaks JSON without schema`; empty where there is nothing.
 * @throws `ModelError`, whose message says what to do; or the signal's reason.
 */
export async function tryModel(model: ChatModel, signal: AbortSignal): Promise<readonly string[]> {
  const patient = withRetry(model);
  const messages = [{ role: 'user', content: 'Answer with the word yes.' }] as const;
  const asked = { messages, stage: 'check', signal } as const;
  const shaped = await askInShape(patient, asked, answerShape, {});
  const plain = await patient.complete(asked);
  const form = shaped.status === 'shaped' ? [] : ['does not keep to the form it is asked for'];
  return [...new Set([...form, ...(shaped.reply.remarks ?? []), ...(plain.remarks ?? [])])];
}
