/** What a start says of the models: who speaks, what a question costs, and what is set and leads nowhere. */

import { deepestFor } from '../council/council.ts';
import { planTurn } from '../council/estimate.ts';
import { counted, listed } from '../domain/words.ts';
import type { PriceOf } from '../models/prices.ts';
import { findLocalServer } from '../models/providers.ts';
import type { Config } from '../settings/load.ts';
import { councilOf } from './application.ts';
import type { ModelNames } from './models.ts';
import { type ChosenModels, priceBefore } from './open-models.ts';

/** The lines for people, the most important first. @param begun.ending - Ends the look for a server. */
export async function startLines({
  config,
  chosenModels,
  ending,
}: {
  readonly config: Config;
  readonly chosenModels: ChosenModels;
  readonly ending: AbortSignal;
}): Promise<readonly string[]> {
  const { names, prices, notice, unchecked } = chosenModels;
  return [
    notice ?? whoSpeaks(config, names, priceBefore(prices)),
    ...unreadLines(config, notice !== undefined),
    ...(await silentServer(config, ending)),
    ...(unchecked === undefined ? [] : [unchecked]),
  ];
}

/** e.g. `openai:gpt-5-mini speaks for all; about 11 calls and $0.01 a question.` */
export function whoSpeaks(config: Config, names: ModelNames, priceOf: PriceOf): string {
  const { sages, settings } = config;
  const bySages = [...new Set(sages.map(({ key }) => names.sage(key)))];
  const all = new Set([...bySages, names.moderator, names.chair, settings.models.reviewer]);
  all.delete(undefined);
  const shown = bySages.length > 3 ? `${bySages.length} models` : listed(bySages);
  const others = [
    `${names.chair} for the chair`,
    ...(names.moderator === names.chair ? [] : [`${names.moderator} for the moderator`]),
  ];
  const who =
    all.size === 1
      ? `${names.chair} speaks for all`
      : `${shown} ${bySages.length > 1 ? 'speak' : 'speaks'} for the sages, ${others.join(', ')}`;
  return `${who}; ${costWords(questionCost(config, names, priceOf))}.`;
}

/** What a first question of a thread costs, roughly: without what models think before they answer. */
export interface QuestionCost {
  readonly calls: number;
  /** 0: free, on one's own machine. Absent: a price is not known. */
  readonly usd?: number;
}

export function questionCost(config: Config, names: ModelNames, priceOf: PriceOf): QuestionCost {
  const council = councilOf(config);
  const models = {
    moderator: { id: names.moderator },
    sage: ({ key }: { readonly key: string }) => ({ id: names.sage(key) }),
    reviewer: ({ key }: { readonly key: string }) => ({ id: names.reviewer(key) }),
    chair: { id: names.chair },
  };
  const planned = planTurn(council, models, {
    ...{ questionChars: usualQuestionChars, depth: deepestFor(undefined, council.depth) },
    ...{ sages: undefined, isSeated: false, contextTokens: 0 },
  });
  const calls = Math.round(planned.reduce((sum, { count }) => sum + count, 0));
  let usd = 0;
  for (const { model, count, inputTokens, outputTokens } of planned) {
    const price = priceOf(model, inputTokens, outputTokens);
    if (price === undefined) return { calls };
    usd += count * price;
  }
  return { calls, usd };
}

const usualQuestionChars = 200;

/** e.g. `about 11 calls and $0.01 a question`. */
export function costWords({ calls, usd }: QuestionCost): string {
  const about = `about ${counted(calls, 'call')}`;
  if (usd === undefined) return `${about} a question, at a price that is not known here`;
  if (usd === 0) return `${about} a question, at no cost`;
  return `${about} and ${usd < 0.01 ? 'less than $0.01' : `$${usd.toFixed(2)}`} a question`;
}

function unreadLines({ unread }: Config, isMissingModel: boolean): readonly string[] {
  return unread.flatMap(({ name, meant, isInFile }) => {
    if (meant) return [`${name} is set, but nothing reads it. Did you mean ${meant}?`];
    // Other programs have keys, too: in the environment one is worth a word only where none is found.
    if (!isInFile && !isMissingModel) return [];
    return [
      `${name} is set, but its provider is unknown. Describe it under models.providers in config/council.yaml.`,
    ];
  });
}

/** `OLLAMA_HOST` is set, and no server answers there. */
async function silentServer(
  { settings, secrets }: Config,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { ollama } = settings.models.providers;
  if (secrets.get('OLLAMA_HOST') === undefined || !ollama) return [];
  if ((await findLocalServer(ollama.baseUrl, signal)) !== undefined) return [];
  return [
    `OLLAMA_HOST is set, but no model server answers at ${ollama.baseUrl}. Start Ollama there, or correct OLLAMA_HOST.`,
  ];
}
