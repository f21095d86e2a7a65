/** What `doctor` looks at, for this configuration. */

import type { Config } from '../../config/load.ts';
import { ModelError } from '../models/chat-model.ts';
import { openModel, type Providers } from '../models/providers.ts';
import type { Check } from '../operator/doctor.ts';
import { openSqliteStore } from '../store/sqlite.ts';
import { type Store, StoreError } from '../store/store.ts';
import { discordCheck } from './discord.ts';
import { allModels, type ModelNames } from './models.ts';

const wantedMajor = 24;

/** @param isOffline - Leaves out what calls a model, or Discord. */
export function checksOf(
  config: Config,
  names: ModelNames,
  providers: Providers,
  isOffline: boolean,
): readonly Check[] {
  const keys = config.sages.map(({ key }) => key);
  return [
    nodeCheck,
    {
      name: 'configuration',
      run: async () => `${config.sages.length} sages, depth ${config.settings.council.depth}`,
    },
    storeCheck(config.settings),
    ...(isOffline ? [] : [discordCheck(config)].filter((check) => check !== undefined)),
    ...(isOffline ? [] : allModels(names, keys).map((name) => modelCheck(name, providers))),
  ];
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

const mostCounted = 100;

function storeCheck({ store }: Config['settings']): Check {
  return {
    name: `store ${store.path}`,
    run: async () => {
      const opened = openUnlessInUse(store.path);
      if (!opened) return 'is in use by a Council that runs';
      try {
        // A write, so that a disk that is full shows now.
        await opened.claim('doctor', 1);
        const { length } = await opened.turns.unfinished(mostCounted);
        const left = length === mostCounted ? `${length} or more` : `${length}`;
        return length === 0
          ? 'can be read and written'
          : `can be read and written; ${left} turns wait to be finished at the next start`;
      } finally {
        await opened.close();
      }
    },
  };
}

function openUnlessInUse(path: string): Store | undefined {
  try {
    return openSqliteStore({ path });
  } catch (error) {
    if (error instanceof StoreError && error.reason === 'in_use') return undefined;
    throw error;
  }
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
