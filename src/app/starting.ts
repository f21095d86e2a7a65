/** The steps of a start, each with a deadline: a process that hangs in one of them looks as if it worked. */

import type { Log } from '../domain/log.ts';
import { type ChosenModels, chooseModels } from './open-models.ts';
import { openLog, type Surroundings } from './session.ts';

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
export function startWithin({ giveUp, ending }: Pick<Surroundings, 'giveUp' | 'ending'>): Starting {
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
export interface Begun extends Pick<Surroundings, 'config' | 'ending'> {
  readonly log: Log;
  readonly starting: Starting;
  readonly chosenModels: ChosenModels;
}

/** @param isQuiet - As for {@link openLog}. */
export async function begin(around: Surroundings, isQuiet: boolean): Promise<Begun> {
  const { config, ending } = around;
  const log = openLog(around, isQuiet);
  const starting = startWithin(around);
  const chosenModels = await starting('models', () => chooseModels(config, ending));
  return { config, log, starting, chosenModels, ending };
}
