/** What the reviews of a turn come to: the ranking, how far they disagree, and what agreement is worth. */

import type { Round } from '../domain/docket.ts';
import type { Ranked } from '../domain/stored-turn.ts';
import type { Ranking, Review, SageAnswer } from '../domain/turn.ts';
import type { Council } from './council.ts';
import { measureDisagreement } from './disagreement.ts';
import { type Candidate, type CastBallot, rankAnswers } from './ranking.ts';

/**
 * @param answers - Those that were judged.
 * @param council - Says what they were judged by.
 * @param round - Of depth `deep`, with its second ballots.
 */
export function rankedBy(
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
    ranking: tallied(
      ballots,
      ballotsOf(round?.recasts ?? []),
      answers.map(({ sage }) => ({ id: sage, author: sage })),
    ),
    sameModel: new Set(models).size === 1,
    ...(family === undefined ? {} : { family }),
    ...(criteria === undefined ? {} : { criteria }),
    ...(disagreement ? { disagreement } : {}),
  };
}

/**
 * Ranks the answers by the first ballots and, where there were any, the second ones: both count, so that no
 * second thought undoes a first one.
 *
 * @param second - Of some of the answers alone. They weigh in the shares and places; average places, votes,
 *   agreement and self-preference are of the first ballots, which saw all.
 * @see https://arxiv.org/abs/2509.11035 on counting all that was said, and not its end alone.
 */
function tallied(
  first: readonly CastBallot[],
  second: readonly CastBallot[],
  candidates: readonly Candidate[],
): Ranking {
  const ranking = rankAnswers(first, candidates);
  if (second.length === 0) return ranking;
  const places = new Map(ranking.places.map((place) => [place.sage, place]));
  return {
    ...ranking,
    secondBallots: second.length,
    places: rankAnswers([...first, ...second], candidates).places.map(
      ({ sage, score, position }) => ({ votes: 0, ...places.get(sage), sage, score, position }),
    ),
  };
}

/** The ballots that were read, with the sages in place of the labels. */
export function ballotsOf(reviews: readonly Review[]): readonly CastBallot[] {
  return reviews.flatMap(({ reviewer, ballot, labels }) => {
    if (ballot.status !== 'ranked') return [];
    const sageOf = new Map(labels.map(({ label, sage }) => [label, sage]));
    const groups = ballot.groups.map((group) => group.flatMap((label) => sageOf.get(label) ?? []));
    return [{ reviewer, groups, shown: labels.map(({ sage }) => sage) }];
  });
}

// Which models are kin: they were trained by the same people on much the same data, and err alike.

/** What the names of a family's models begin with. */
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
 * @param model - `provider:model`, e.g. `openrouter:anthropic/claude-opus-4`, `ollama:llama3.3:70b`.
 * @returns E.g. `Claude`, `Llama`; `undefined` for a name that is no known family's.
 */
export function familyOf(model: string): string | undefined {
  const name = model.slice(model.indexOf(':') + 1).toLowerCase();
  const bare = name.slice(name.lastIndexOf('/') + 1);
  return Object.keys(families).find((family) => families[family]?.test(bare));
}

/** The family that all models are of; `undefined` where there are several, or one is not known. */
export function sharedFamily(models: readonly string[]): string | undefined {
  const [family, ...others] = new Set(models.map(familyOf));
  return others.length === 0 ? family : undefined;
}
