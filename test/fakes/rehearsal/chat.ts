/** Answers one chat completion. */

import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import {
  deliverStream,
  deliverWhole,
  type FinishReason,
  type Reply,
  untilAborted,
} from './delivery.ts';
import { type Heard, hear } from './heard.ts';
import type { Fault, Journal, RehearsalCall, RehearsalOptions } from './options.ts';
import { replyTo } from './replies.ts';
import { type ChatBody, charsPerToken, chatBodySchema, chatModels, refuse } from './wire.ts';

/** What a server's chat calls share. */
export interface Stage {
  readonly options: RehearsalOptions;
  readonly journal: Journal;
}

const declined = 'The rehearsal declines to answer this, as it was told to.';

/**
 * Writes the whole response, or drops the connection where a fault says so.
 *
 * @param signal - Aborted when the client has gone or the server closes.
 */
export async function answerChat(
  stage: Stage,
  unknownBody: unknown,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const parsed = chatBodySchema.safeParse(unknownBody);
  if (!parsed.success) {
    refuse(response, 400, z.prettifyError(parsed.error));
    return;
  }
  const body = parsed.data;
  if (!chatModels.some((model) => model === body.model)) {
    const message = `The model ${JSON.stringify(body.model.slice(0, 80))} does not exist here. The rehearsal has ${chatModels.join(' and ')}.`;
    refuse(response, 404, message, { code: 'model_not_found' });
    return;
  }
  const heard = hear(body, stage.options.sages);
  const { part, sage, schema } = heard;
  const isStreaming = body.stream === true;
  const call = stage.journal.begin({ model: body.model, part, sage, schema, isStreaming });
  let fault: Fault | undefined;
  try {
    fault = stage.options.faults?.(call);
    await carryOut(stage, body, heard, call, fault, response, signal);
    stage.journal.end(call, fault ? 'faulted' : 'answered', fault);
  } catch (error) {
    stage.journal.end(call, signal.aborted ? 'aborted' : 'failed', fault);
    throw error;
  }
}

async function carryOut(
  stage: Stage,
  body: ChatBody,
  heard: Heard,
  call: RehearsalCall,
  fault: Fault | undefined,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const { latencyMs = 0, tokensPerSecond, chunkChars = 24 } = stage.options;
  if (fault?.kind === 'status') {
    const { status, retryAfterSeconds } = fault;
    const message = `The rehearsal was told to answer this call with ${status}.`;
    const code = status === 402 ? 'insufficient_quota' : null;
    return refuse(response, status, message, { code, retryAfterSeconds });
  }
  if (fault?.kind === 'hang') await untilAborted(signal);
  const text = fault?.kind === 'text' ? fault.text : (stage.options.say?.(call) ?? replyTo(heard));
  const bound = (body.max_completion_tokens ?? body.max_tokens ?? text.length) * charsPerToken;
  const cut = fault?.kind === 'length' ? Math.min(fault.afterChars, bound) : bound;
  const reply: Reply = {
    id: `chatcmpl-rehearsal-${call.number}`,
    model: body.model,
    created: Math.floor(Date.now() / 1000),
    text: fault?.kind === 'filtered' ? '' : text.slice(0, cut),
    refusal: fault?.kind === 'refusal' ? declined : null,
    finishReason: finishReason(fault, text.length > cut),
    promptChars: body.messages.reduce((sum, message) => sum + message.content.length, 0),
  };
  if (latencyMs > 0) await wait(latencyMs, undefined, { signal });
  const includeUsage = body.stream_options?.include_usage === true;
  const delivery = { response, reply, fault, includeUsage, chunkChars, tokensPerSecond, signal };
  await (call.isStreaming ? deliverStream(delivery) : deliverWhole(delivery));
}

function finishReason(fault: Fault | undefined, isCut: boolean): FinishReason {
  if (fault?.kind === 'no_finish_reason') return null;
  if (fault?.kind === 'filtered') return 'content_filter';
  return isCut || fault?.kind === 'length' ? 'length' : 'stop';
}
