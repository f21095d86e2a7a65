/** A reply on its way, in whichever shape it is told, and what it used. */

import type { CountedTokens } from '../../platform.ts';
import type { Piece } from './deliberation.ts';
import { V1Failure } from './failure.ts';

export interface Reply {
  /** Unique, without the prefix of its shape, e.g. the turn's id. */
  readonly id: string;
  /** As the request named it. */
  readonly model: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** The same; absent: it ends now. */
  readonly endedAt?: number | undefined;
  readonly pieces: AsyncIterable<Piece>;
  /** Reads what it has used; asked once, after its end. */
  readonly used: () => Promise<Used>;
}

/** Passes on what is thought and said. Throws a {@link V1Failure} where it ends without an answer. */
export async function* untilAnswered(
  pieces: AsyncIterable<Piece>,
): AsyncGenerator<Exclude<Piece, { type: 'ended' }>, void, undefined> {
  for await (const piece of pieces) {
    if (piece.type !== 'ended') {
      yield piece;
      continue;
    }
    const { outcome, explanation } = piece.end;
    if (outcome === 'answered') return;
    const code = outcome === 'stopped' ? 'council_stopped' : 'council_failed';
    throw new V1Failure(502, code, explanation || 'The council could not answer.');
  }
  throw new V1Failure(502, 'council_failed', 'The council’s reply broke off.');
}

/** Waits for a reply, and gives its thoughts and its words. Throws as {@link untilAnswered}. */
export async function wholeOf({
  pieces,
}: Reply): Promise<{ readonly thoughts: readonly string[]; readonly said: string }> {
  const thoughts: string[] = [];
  let said = '';
  for await (const piece of untilAnswered(pieces)) {
    if (piece.type === 'said') said += piece.text;
    else if (piece.goesOn) thoughts.push(`${thoughts.pop() ?? ''}${piece.text}`);
    else thoughts.push(piece.text);
  }
  return { thoughts, said };
}

/** In seconds, as programs are told times. */
export function inSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}

/** Of all calls of a turn together: a council is billed as what it is, several models. */
export interface Used {
  readonly input: number;
  /** Reasoning included. */
  readonly output: number;
  readonly reasoning: number;
}

export function usedBy(calls: readonly CountedTokens[]): Used {
  const sum = (tokens: (call: CountedTokens) => number) =>
    calls.reduce((total, call) => total + tokens(call), 0);
  return {
    input: sum(({ inputTokens }) => inputTokens),
    output: sum(({ outputTokens }) => outputTokens),
    reasoning: sum(({ reasoningTokens }) => reasoningTokens),
  };
}

/** As chat completions tell it. */
export function chatUsage({ input, output, reasoning }: Used) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

/** As responses tell it. */
export function responsesUsage({ input, output, reasoning }: Used) {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}
