/** Evaluates the reviews of a turn: the ranking, the disagreement, and whether the models are related. */

import type { Round } from '../domain/docket.ts';
import type { Ranked } from '../domain/stored-turn.ts';
import type { Ranking, Review, SageAnswer } from '../domain/turn.ts';
import type { Council } from './council.ts';
import { measureDisagreement } from './disagreement.ts';
import { type CastBallot, rankAnswers } from './ranking.ts';

/**
 * Ranks the answers of a turn and measures the disagreement.
 *
 * @param answers - The judged answers.
 * @param round - The rebuttal round at depth `deep`, with its second ballots.
 */
export function evaluateReviews(
  reviews: readonly Review[],
  answers: readonly SageAnswer[],
  { criteria }: Pick<Council, 'criteria'>,
  round?: Round,
): Ranked {
  const ballots = ballotsOf(reviews);
  const models = answers.map(({ model }) => model);
  const family = sharedFamily(models);
  const disagreement = measureDisagreement(
    ballots,
    answers.map(({ sage, answer }) => ({ id: sage, text: answer })),
    round,
  );
  return {
    ranking: rankByBoth(
      ballots,
      ballotsOf(round?.recasts ?? []),
      answers.map(({ sage }) => sage),
    ),
    sameModel: new Set(models).size === 1,
    ...(family === undefined ? {} : { family }),
    ...(criteria === undefined ? {} : { criteria }),
    ...(disagreement ? { disagreement } : {}),
  };
}

/**
 * Ranks the answers by the first and the second ballots together, so that a second vote doesn't undo the first.
 *
 * @param second - Ballots on some of the answers. They count for shares and positions only; average places, votes,
 *   agreement and self-preference come from the first ballots, which covered all answers.
 * @see https://arxiv.org/abs/2509.11035 on counting all rounds of a debate rather than only the last.
 */
function rankByBoth(
  first: readonly CastBallot[],
  second: readonly CastBallot[],
  sages: readonly string[],
): Ranking {
  const ranking = rankAnswers(first, sages);
  if (second.length === 0) return ranking;
  const places = new Map(ranking.places.map((place) => [place.sage, place]));
  return {
    ...ranking,
    secondBallots: second.length,
    places: rankAnswers([...first, ...second], sages).places.map(({ sage, score, position }) => ({
      votes: 0,
      ...places.get(sage),
      sage,
      score,
      position,
    })),
  };
}

/** The readable ballots, with sages instead of labels. */
export function ballotsOf(reviews: readonly Review[]): readonly CastBallot[] {
  return reviews.flatMap(({ reviewer, ballot, labels }) => {
    if (ballot.status !== 'ranked') return [];
    const sageOf = new Map(labels.map(({ label, sage }) => [label, sage]));
    const groups = ballot.groups.map((group) => group.flatMap((label) => sageOf.get(label) ?? []));
    return [{ reviewer, groups, shown: labels.map(({ sage }) => sage) }];
  });
}

/** How model names begin, by family. Models of one family share training data, and make similar mistakes. */
const families: Readonly<Record<string, RegExp>> = {
  GPT: /^(?:gpt|chatgpt|codex|o[134](?![a-z]))/,
  Claude: /^claude/,
  Gemini: /^(?:gemini|gemma)/,
  Llama: /^(?:meta-)?llama/,
  Qwen: /^(?:qwen|qwq)/,
  Mistral: /^(?:mistral|ministral|mixtral|magistral|codestral|devstral|pixtral)/,
  DeepSeek: /^deepseek/,
  Grok: /^grok/,
  Command: /^command/,
  Phi: /^phi/,
  Kimi: /^kimi/,
  GLM: /^glm/,
  Nova: /^nova/,
};

/**
 * Returns the family of a model, e.g. `Claude`, or `undefined` if it's unknown.
 *
 * @param model - `provider:model`, e.g. `openrouter:anthropic/claude-opus-4`, `ollama:llama3.3:70b`.
 */
export function familyOf(model: string): string | undefined {
  const name = model.slice(model.indexOf(':') + 1).toLowerCase();
  const bare = name.slice(name.lastIndexOf('/') + 1);
  return Object.keys(families).find((family) => families[family]?.test(bare));
}

/** The family of all models; `undefined` if there are several, or one is unknown. */
export function sharedFamily(models: readonly string[]): string | undefined {
  const [family, ...others] = new Set(models.map(familyOf));
  return others.length === 0 ? family : undefined;
}
