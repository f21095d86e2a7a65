/** Side tasks: small tasks that chat programs give besides questions. One call does each, at the expense of who asks. */

import { planCall } from '../../council/estimate.ts';
import { type ChatMessage, ModelError } from '../../models/chat-model.ts';
import type { SideTask, SideTaskDone } from '../../platforms/platform.ts';
import { payerFor, RefusedError } from '../money/budgets.ts';
import type { Money } from '../money/money.ts';
import { type ChannelsOptions, readChannel } from '../places/channels.ts';
import { refusedBy } from './asking.ts';

/** Of a conversation that comes with it, so much is read, in characters: a title needs no more. */
const mostChars = 24_000;
/** Of its reply, in tokens, reasoning included. */
const maxOutputTokens = 2000;

/** The model that shortens histories does it: the cheapest that is set. */
export async function runSideTask(
  { threadId, person, messages, signal }: SideTask,
  options: ChannelsOptions & { readonly money: Money },
): Promise<SideTaskDone> {
  const { channel } = await readChannel(options, threadId);
  const { settings, council } = channel;
  const shown = cut(messages);
  const chars = shown.reduce((sum, { content }) => sum + content.length, 0);
  const estimate = {
    what: 'this small task',
    calls: ({ compactor }: { readonly compactor: { readonly id: string } }) => [
      planCall('sideTask', compactor.id, chars),
    ],
  };
  // It is none of the questions that a person may ask an hour.
  const paying = { ...settings, questionsPerUserPerHour: 'unlimited' } as const;
  const payer = { ...payerFor(person, threadId), settings: paying };
  const inTime = AbortSignal.timeout(council.limits.moderatorTimeoutMs);
  const asked = {
    messages: shown,
    stage: 'side_task' as const,
    maxOutputTokens,
    signal: AbortSignal.any([signal, inTime]),
  };
  try {
    return await options.money.pay(payer, estimate, async ({ compactor }, calls) => {
      const { text } = await compactor.complete(asked);
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

/** The newest of what was sent, each by its beginning, where the task stands. */
function cut(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  let room = mostChars;
  return messages
    .toReversed()
    .flatMap(({ role, content }) => {
      const kept = content.slice(0, Math.max(0, room)).toWellFormed();
      room -= kept.length;
      return kept === '' ? [] : [{ role, content: kept }];
    })
    .toReversed();
}
