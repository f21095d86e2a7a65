/** A reply in progress, whatever its API, and the tokens it used. */

import type { CountedTokens } from '../../platform.ts';
import type { Piece } from './deliberation.ts';
import { V1Failure } from './failure.ts';

export interface Reply {
  /** Unique, without the prefix of the API; for a turn, the turn's id. */
  readonly id: string;
  /** As named in the request. */
  readonly model: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since 1970; absent: now. */
  readonly endedAt?: number | undefined;
  readonly pieces: AsyncIterable<Piece>;
  /** Reads the used tokens; called once, after the last piece. */
  readonly usage: () => Promise<Usage>;
}

/** Yields reasoning and content. Throws a {@link V1Failure} if the reply ends without an answer. */
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

/** Waits for the whole reply. Throws like {@link untilAnswered}. */
export async function wholeOf({
  pieces,
}: Reply): Promise<{ readonly reasoning: readonly string[]; readonly content: string }> {
  const reasoning: string[] = [];
  let content = '';
  for await (const piece of untilAnswered(pieces)) {
    if (piece.type === 'content') content += piece.text;
    else if (piece.isContinued) reasoning.push(`${reasoning.pop() ?? ''}${piece.text}`);
    else reasoning.push(piece.text);
  }
  return { reasoning, content };
}

/** Converts milliseconds to whole seconds, as in the API. */
export function inSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}

/** The tokens of all calls of a turn together. */
export interface Usage {
  readonly input: number;
  /** Including reasoning. */
  readonly output: number;
  readonly reasoning: number;
}

export function usageOf(calls: readonly CountedTokens[]): Usage {
  const sum = (tokens: (call: CountedTokens) => number) =>
    calls.reduce((total, call) => total + tokens(call), 0);
  return {
    input: sum(({ inputTokens }) => inputTokens),
    output: sum(({ outputTokens }) => outputTokens),
    reasoning: sum(({ reasoningTokens }) => reasoningTokens),
  };
}

/** The `usage` of a chat completion. */
export function chatUsage({ input, output, reasoning }: Usage) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

/** The `usage` of a response. */
export function responsesUsage({ input, output, reasoning }: Usage) {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}
