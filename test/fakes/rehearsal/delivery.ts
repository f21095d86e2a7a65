/** Hands a reply to the client: whole or as a stream of events, at a pace, spoiled on request. */

import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from './options.ts';
import { charsPerToken, usageOf } from './wire.ts';

export type FinishReason = 'stop' | 'length' | 'content_filter' | null;

/** A reply that is ready to go. */
export interface Reply {
  readonly id: string;
  readonly model: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly text: string;
  /** Set in place of the text when the model declines. */
  readonly refusal: string | null;
  readonly finishReason: FinishReason;
  readonly promptChars: number;
}

/** A reply on its way. */
export interface Delivery {
  readonly response: ServerResponse;
  readonly reply: Reply;
  /** Spoils the way it goes, not what it says. */
  readonly fault: Fault | undefined;
  readonly includeUsage: boolean;
  readonly chunkChars: number;
  readonly tokensPerSecond: number | undefined;
  /** Ends the delivery; waits then throw. */
  readonly signal: AbortSignal;
}

/** Delivers a reply as one JSON body. */
export async function deliverWhole({ response, reply, fault, signal }: Delivery): Promise<void> {
  const body = JSON.stringify({
    id: reply.id,
    object: 'chat.completion',
    created: reply.created,
    model: reply.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: reply.refusal === null ? reply.text : null,
          refusal: reply.refusal,
        },
        logprobs: null,
        finish_reason: reply.finishReason,
      },
    ],
    usage: usageOf(reply.promptChars, (reply.refusal ?? reply.text).length),
  });
  const length = Buffer.byteLength(body);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
  if (fault?.kind !== 'cut' && fault?.kind !== 'stall' && fault?.kind !== 'malformed_body') {
    response.end(body);
    return;
  }
  if (fault.kind === 'malformed_body') {
    response.end(`<html>${'.'.repeat(length - '<html>'.length)}`);
    return;
  }
  await sent(response, body.slice(0, Math.min(fault.afterChars, body.length - 1)));
  if (fault.kind === 'stall') await untilAborted(signal);
  response.destroy();
}

/** Delivers a reply as a stream of events. */
export async function deliverStream(delivery: Delivery): Promise<void> {
  const { response, reply, fault, tokensPerSecond, signal } = delivery;
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  if (fault?.kind === 'malformed_body') {
    response.end('data-without-colon {"choices":[{"delta":{"content":"lost"}}]\n\n');
    return;
  }
  const isBroken = fault?.kind === 'cut' || fault?.kind === 'stall';
  const text = isBroken ? reply.text.slice(0, fault.afterChars) : reply.text;
  const head = event(reply, { role: 'assistant', content: '', refusal: null });
  const pieces = reply.refusal === null ? split(text, delivery.chunkChars) : [];
  if (tokensPerSecond === undefined) {
    await sent(response, head + pieces.map((content) => event(reply, { content })).join(''));
  } else {
    await sent(response, head);
    for (const content of pieces) {
      const pauseMs = (content.length / charsPerToken / tokensPerSecond) * 1000;
      await wait(pauseMs, undefined, { signal });
      await sent(response, event(reply, { content }));
    }
  }
  if (fault?.kind === 'stall') await untilAborted(signal);
  if (isBroken) {
    response.destroy();
    return;
  }
  response.end(
    (reply.refusal === null ? '' : event(reply, { refusal: reply.refusal })) +
      (reply.finishReason === null ? '' : event(reply, {}, reply.finishReason)) +
      (delivery.includeUsage ? usageEvent(reply) : '') +
      'data: [DONE]\n\n',
  );
}

function event(reply: Reply, delta: object, finishReason: FinishReason = null): string {
  return chunk(reply, {
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
  });
}

function usageEvent(reply: Reply): string {
  const usage = usageOf(reply.promptChars, (reply.refusal ?? reply.text).length);
  return chunk(reply, { choices: [], usage });
}

function chunk(reply: Reply, rest: object): string {
  const { id, created, model } = reply;
  return `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created, model, ...rest })}\n\n`;
}

/** Pieces of about `size` characters that never part the two halves of one code point. */
function split(text: string, size: number): string[] {
  const pieces: string[] = [];
  let start = 0;
  while (start < text.length) {
    let end = start + size;
    if (isLowSurrogate(text.charCodeAt(end))) end += 1;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Waits for as long as the call is wanted; then throws the reason why it no longer is. */
export async function untilAborted(signal: AbortSignal): Promise<never> {
  while (true) await wait(2 ** 30, undefined, { signal });
}

/** Writes, and waits until it is on its way: a slow reader slows the reply down. */
async function sent(response: ServerResponse, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    response.write(text === '' ? ' ' : text, (error) => (error ? reject(error) : resolve()));
  });
}
