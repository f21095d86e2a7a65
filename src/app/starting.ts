/** The start of a process: its log, its models, and the lines it prints about models and costs. */

import { deepestFor } from '../council/council.ts';
import { leastContextTokens, planTurn } from '../council/estimate.ts';
import type { Log } from '../domain/log.ts';
import { counted, listed } from '../domain/words.ts';
import type { PriceOf } from '../models/prices.ts';
import { listChatModels } from '../models/providers.ts';
import type { Config } from '../settings/load.ts';
import { councilOf, type ModelNames } from './models.ts';
import { type ChosenModels, chooseModels, priceEstimator } from './open-models.ts';
import { openLog } from './operator/log.ts';
import type { TaskContext } from './tasks/task.ts';

/** Everything an application is opened with. */
export interface Startup extends Pick<TaskContext, 'config' | 'ending'> {
  readonly log: Log;
  readonly chosenModels: ChosenModels;
}

/** Opens the log and chooses the models. @param isQuiet - As for {@link openLog}. */
export async function startUp(context: TaskContext, isQuiet: boolean): Promise<Startup> {
  const { config, ending } = context;
  const log = openLog(context, isQuiet);
  return { config, log, chosenModels: await chooseModels(config, ending), ending };
}

/**
 * Describes the models for people, the most important line first: which are used and what a question costs
 * (nothing of that if there is none), and which variables have no effect.
 */
export async function startLines({
  config,
  chosenModels,
  ending,
}: Pick<Startup, 'config' | 'chosenModels' | 'ending'>): Promise<readonly string[]> {
  const { names, prices, notice, unchecked } = chosenModels;
  return [
    ...(notice === undefined ? [whoSpeaks(config, names, priceEstimator(prices))] : []),
    ...unusedVariableLines(config, notice !== undefined),
    ...config.misplaced,
    ...(await unreachableOllamaLine(config, ending)),
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
  return `${who}; ${costWords(config, names, priceOf)}.`;
}

const typicalQuestionChars = 200;

/**
 * Estimates the cost of the first question in a thread, without reasoning tokens.
 *
 * @returns E.g. `about 11 calls and $0.01 a question`.
 */
function costWords(config: Config, names: ModelNames, priceOf: PriceOf): string {
  const council = councilOf(config);
  const models = {
    moderator: { id: names.moderator },
    sage: ({ key }: { readonly key: string }) => ({ id: names.sage(key) }),
    reviewer: ({ key }: { readonly key: string }) => ({ id: names.reviewer(key) }),
    chair: { id: names.chair },
  };
  const planned = planTurn(council, models, {
    questionChars: typicalQuestionChars,
    depth: deepestFor(undefined, council.depth),
    sages: undefined,
    isSeated: false,
    contextTokens: leastContextTokens,
  });
  const calls = Math.round(planned.reduce((sum, { count }) => sum + count, 0));
  const about = `about ${counted(calls, 'call')}`;
  let usd = 0;
  for (const { model, count, inputTokens, outputTokens } of planned) {
    const price = priceOf(model, inputTokens, outputTokens);
    if (price === undefined) return `${about} a question, at a price that is not known here`;
    usd += count * price;
  }
  if (usd === 0) return `${about} a question, at no cost`;
  return `${about} and ${usd < 0.01 ? 'less than $0.01' : `$${usd.toFixed(2)}`} a question`;
}

function unusedVariableLines({ unread, file }: Config, isMissingModel: boolean): readonly string[] {
  return unread.flatMap(({ name, meant, isInFile, isLate }) => {
    if (isLate) {
      return [
        `${name} is set in .env, which is read too late for it. Set it in the environment of the process.`,
      ];
    }
    if (meant) return [`${name} is set, but nothing reads it. Did you mean ${meant}?`];
    // Other programs have keys too, so one in the environment is mentioned only if no model is found.
    if (!isInFile && !isMissingModel) return [];
    return [
      `${name} is set, but its provider is unknown. Describe it under models.providers in ${file}.`,
    ];
  });
}

/** One line if `OLLAMA_HOST` is set but no server answers there. */
async function unreachableOllamaLine(
  { settings, secrets }: Config,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { ollama } = settings.models.providers;
  if (secrets.get('OLLAMA_HOST') === undefined || !ollama) return [];
  if ((await listChatModels(ollama, signal)) !== undefined) return [];
  return [
    `OLLAMA_HOST is set, but no model server answers at ${ollama.baseUrl}. Start Ollama there, or correct OLLAMA_HOST.`,
  ];
}
