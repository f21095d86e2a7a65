/** The steps of a start, each with a deadline: a process that hangs in one of them looks as if it worked. */

import { deepestFor } from '../council/depth.ts';
import { planTurn } from '../council/estimate.ts';
import type { Log } from '../domain/log.ts';
import { counted, listed } from '../domain/words.ts';
import type { PriceOf } from '../models/prices.ts';
import { findLocalServer } from '../models/providers.ts';
import type { Config } from '../settings/load.ts';
import { councilOf, type ModelNames } from './models.ts';
import { type ChosenModels, chooseModels, priceBefore } from './open-models.ts';
import { openLog } from './operator/log.ts';
import type { TaskContext } from './tasks/task.ts';

/** A step: what is done in it, and what to check when it hangs. */
interface Step {
  readonly doing: string;
  readonly check: string;
  readonly withinMs: number;
}

/** A server that works answers sooner, and the clients' own timeouts are shorter. */
const connectingMs = 30_000;
/** Discord admits one gateway shard every 5 s, and there may be a thousand unfinished turns. */
const lengthyMs = 300_000;

const redisCheck = 'Check that the Redis server answers (`redis-cli -u … ping`) from this machine.';

/** By name; the platforms by theirs. */
const steps: Readonly<Record<string, Step>> = {
  models: {
    doing: 'looking for a model',
    check: 'Check that the local model server answers, or set models.default.',
    withinMs: connectingMs,
  },
  store: {
    doing: 'opening the store',
    check: 'Check that its server answers, or the disk that holds its file.',
    withinMs: connectingMs,
  },
  sharing: {
    doing: 'connecting to the shared queue',
    check: redisCheck,
    withinMs: connectingMs,
  },
  background: {
    doing: 'starting the background work',
    check: redisCheck,
    withinMs: connectingMs,
  },
  turns: {
    doing: 'resuming unfinished turns',
    check: redisCheck,
    withinMs: lengthyMs,
  },
  web: {
    doing: 'opening the web',
    check: 'Check that the store, which holds the keys, answers.',
    withinMs: connectingMs,
  },
  discord: {
    doing: 'connecting to Discord',
    check:
      'Check that https:// and wss:// addresses of discord.com and discord.gg can be reached from here, and look at https://discordstatus.com.',
    withinMs: lengthyMs,
  },
  slack: {
    doing: 'connecting to Slack',
    check:
      'Check that https:// and wss:// addresses of slack.com can be reached from here, and look at https://slack-status.com.',
    withinMs: lengthyMs,
  },
};

/** Runs a step of the start. @param name - One of {@link steps}; any other step has no deadline. */
export type Starting = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;

/** Sets no deadlines. */
export const unbounded: Starting = (_name, work) => work();

/** Ends the process when a step misses its deadline, and says which step it was and what to check. */
export function startWithin({ giveUp, ending }: Pick<TaskContext, 'giveUp' | 'ending'>): Starting {
  return async (name, work) => {
    const step = steps[name];
    if (!step) return work();
    const { doing, check, withinMs } = step;
    const timer = setTimeout(() => {
      if (ending.aborted) return;
      giveUp(
        `The start was abandoned: ${doing} was not done after ${withinMs / 1000} s. ${check} Then start again.`,
      );
    }, withinMs);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
    }
  };
}

/** What an application is opened with. */
export interface Begun extends Pick<TaskContext, 'config' | 'ending'> {
  readonly log: Log;
  readonly starting: Starting;
  readonly chosenModels: ChosenModels;
}

/** @param isQuiet - As for {@link openLog}. */
export async function begin(context: TaskContext, isQuiet: boolean): Promise<Begun> {
  const { config, ending } = context;
  const log = openLog(context, isQuiet);
  const starting = startWithin(context);
  const chosenModels = await starting('models', () => chooseModels(config, ending));
  return { config, log, starting, chosenModels, ending };
}

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
