/** What `doctor` looks at, for this configuration. */

import type { Config } from '../../config/load.ts';
import { ModelError } from '../models/chat-model.ts';
import { openEmbedder, openModel, type Providers } from '../models/providers.ts';
import type { Check } from '../operator/doctor.ts';
import { discordCheck } from './discord.ts';
import { allModels } from './models.ts';
import { queueCheck } from './queue-check.ts';
import { slackCheck } from './slack.ts';
import type { Speakers } from './speakers.ts';
import { storeCheck } from './store-check.ts';

const wantedMajor = 24;

/** @param isOffline - Leaves out what calls a model, Discord or Slack. */
export function checksOf(
  config: Config,
  { names, providers, unchecked }: Pick<Speakers, 'names' | 'providers' | 'unchecked'>,
  isOffline: boolean,
): readonly Check[] {
  const keys = config.sages.map(({ key }) => key);
  return [
    nodeCheck,
    {
      name: 'configuration',
      run: async () => `${config.sages.length} sages, depth ${config.settings.council.depth}`,
    },
    budgetCheck(config, unchecked),
    storeCheck(config),
    queueCheck(config),
    ...(isOffline
      ? []
      : [discordCheck(config), slackCheck(config)].filter((check) => check !== undefined)),
    ...(isOffline ? [] : allModels(names, keys).map((name) => modelCheck(name, providers))),
    ...(isOffline || !names.embedding ? [] : [embeddingCheck(names.embedding, providers)]),
  ];
}

function budgetCheck({ settings }: Config, unchecked: string | undefined): Check {
  return {
    name: 'budgets',
    run: async () => {
      if (unchecked !== undefined) throw new Error(unchecked);
      const set = Object.values(settings.budgets).filter((usd) => usd !== undefined);
      return set.length === 0 ? 'none are set' : 'all prices are known';
    },
  };
}

const nodeCheck: Check = {
  name: 'Node',
  run: async () => {
    const [major] = process.versions.node.split('.');
    if (major !== String(wantedMajor)) {
      throw new Error(
        `This is Node ${process.versions.node}; Council needs ${wantedMajor}. Start it with \`npm start\`, which brings its own.`,
      );
    }
    return process.version;
  },
};

function embeddingCheck(name: string, providers: Providers): Check {
  return {
    name: `embeddings ${name}`,
    run: async (signal) => {
      const { vectors } = await openEmbedder(name, providers).embed(['yes'], signal);
      const [vector] = vectors;
      return `${vector?.length} dimensions`;
    },
  };
}

function modelCheck(name: string, providers: Providers): Check {
  return {
    name: `model ${name}`,
    run: async (signal) => {
      const model = openModel(name, providers);
      try {
        await model.complete({
          messages: [{ role: 'user', content: 'Say yes.' }],
          maxOutputTokens: 1,
          stage: 'check',
          signal,
        });
      } catch (error) {
        // A model that reasons has nothing to say yet after one token; it was reached all the same.
        if (!(error instanceof ModelError) || error.failure !== 'empty') throw error;
      }
      return 'answers';
    },
  };
}
