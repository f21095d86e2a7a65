/** What a turn, the draft of a sage, minutes or an embedding will roughly cost, before any call is made. */

import type { Council, CouncilModels, Depth } from './council.ts';

/** US dollars for that many tokens; 0 where the price of the model is unknown or it is free. */
export type PriceOf = (model: string, inputTokens: number, outputTokens: number) => number;

/**
 * Tokens by what the prompts ask for: an answer of at most 350 words and a verdict of at most 300
 * with its lists, at four tokens for three words; a review of some 60 tokens for each sentence group.
 * The fixed parts of the prompts are measured by their length, at four characters a token.
 */
const tokens = {
  instructions: 600,
  seating: 250,
  answer: 550,
  reviewPerAnswer: 100,
  verdict: 800,
  draft: 450,
  brief: 700,
  record: 1200,
};
const charsPerToken = 4;

/** What the draft of a sage's prompt will roughly cost: US dollars, 0 when no price is known. */
export function estimateDraftUsd(model: string, priceOf: PriceOf, askedChars: number): number {
  return priceOf(model, tokens.instructions + askedChars / charsPerToken, tokens.draft);
}

/** What it will roughly cost to embed so much: US dollars, 0 when no price is known. */
export function estimateEmbeddingUsd(model: string, priceOf: PriceOf, chars: number): number {
  return priceOf(model, chars / charsPerToken, 0);
}

/** What minutes will roughly cost, one repair of the brief included: US dollars, 0 when no price is known. */
export function estimateMinutesUsd(
  models: { readonly brief: string; readonly record: string },
  priceOf: PriceOf,
  discussionChars: number,
): number {
  const input = tokens.instructions + discussionChars / charsPerToken;
  return (
    priceOf(models.brief, 2 * input + tokens.brief, 2 * tokens.brief) +
    priceOf(models.record, input + tokens.brief, tokens.record)
  );
}

/**
 * What a turn may cost, with as much of earlier talk in every prompt as fits: how much there is, nobody
 * has looked yet.
 *
 * @returns US dollars; 0 when no price is known. Reasoning tokens are not foreseen.
 */
export function estimateTurnUsd(
  council: Council,
  models: CouncilModels,
  priceOf: PriceOf,
  asked: {
    readonly questionChars: number;
    readonly depth: Depth;
    readonly sages: readonly string[] | undefined;
    /** The most that a prompt holds of earlier talk; 0 where nothing is recalled. */
    readonly contextTokens: number;
  },
): number {
  const input = tokens.instructions + asked.contextTokens + asked.questionChars / charsPerToken;
  const fixed = asked.sages ?? (council.seats === 'moderated' ? undefined : council.seats);
  const seats = fixed?.length ?? council.maxSages;
  const isAlone = asked.sages?.length === 1;
  const [someSage] = council.bench;
  const sageModel = someSage ? models.sage(someSage).id : models.chair.id;
  const reviewModel = someSage ? models.reviewer(someSage).id : models.chair.id;
  const withReviews = asked.depth === 'standard' && seats > 1;
  return (
    (fixed ? 0 : priceOf(models.moderator.id, input, tokens.seating)) +
    seats * priceOf(sageModel, input, tokens.answer) +
    (withReviews
      ? seats * priceOf(reviewModel, input + seats * tokens.answer, seats * tokens.reviewPerAnswer)
      : 0) +
    (isAlone ? 0 : priceOf(models.chair.id, input + seats * tokens.answer, tokens.verdict))
  );
}
