/** What `doctor` looks at, for this configuration. */

import type { Config } from '../../config/load.ts';
import { openModel, type Providers } from '../models/providers.ts';
import type { Check } from '../operator/doctor.ts';
import { openSqliteStore } from '../store/sqlite.ts';
import { allModels, type ModelNames } from './models.ts';

const wantedMajor = 24;

/** @param isOffline - Leaves out what calls a model. */
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

function storeCheck({ store }: Config['settings']): Check {
  return {
    name: `store ${store.path}`,
    run: async () => {
      const opened = openSqliteStore({ path: store.path });
      // A write, so that a disk that is full or read-only shows now.
      await opened.claim('doctor', 1);
      const unfinished = await opened.turns.unfinished(100);
      await opened.close();
      const left = unfinished.length === 100 ? '100 or more' : `${unfinished.length}`;
      return unfinished.length === 0
        ? 'can be read and written'
        : `can be read and written; ${left} turns wait to be finished`;
    },
  };
}

/** A call of one token; models that reason need a few more before they say anything. */
const checkOutputTokens = 1;

function modelCheck(name: string, providers: Providers): Check {
  return {
    name: `model ${name}`,
    run: async (signal) => {
      const model = openModel(name, providers);
      const reply = await model.complete({
        messages: [{ role: 'user', content: 'Say yes.' }],
        maxOutputTokens: checkOutputTokens,
        stage: 'check',
        signal,
      });
      const tokens = reply.usage
        ? `, ${reply.usage.inputTokens + reply.usage.outputTokens} tokens`
        : '';
      return `answers${tokens}`;
    },
  };
}
