/** What a turn used, summed up in the two shapes that programs read. */

import type { CountedTokens } from '../../platform.ts';

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
