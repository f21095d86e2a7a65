/** What `doctor` looks at, for this configuration. */

import { z } from 'zod';
import type { ChatModel } from '../../models/chat-model.ts';
import { openEmbedder, type Providers } from '../../models/providers.ts';
import { withRetry } from '../../models/retry.ts';
import { askInShape } from '../../models/structured.ts';
import type { Config } from '../../settings/load.ts';
import { discordCheck } from '../discord.ts';
import { allModels, modelsByName } from '../models.ts';
import type { Check } from '../operator/doctor.ts';
import { slackCheck } from '../slack.ts';
import type { Speakers } from '../speakers.ts';
import { queueCheck } from './queue-check.ts';
import { storeCheck } from './store-check.ts';

const wantedMajor = 24;

/** @param isOffline - Leaves out what calls a model, Discord or Slack. */
export function checksOf(
  config: Config,
  { names, providers, unchecked }: Pick<Speakers, 'names' | 'providers' | 'unchecked'>,
  isOffline: boolean,
): readonly Check[] {
  const keys = config.sages.map(({ key }) => key);
  const open = modelsByName(config, providers);
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
    ...(isOffline ? [] : allModels(names, keys).map((name) => modelCheck(name, open))),
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

/** Any shape will do: each part of a council asks for one of its own. */
const answerShape = { name: 'answer', schema: z.object({ answer: z.string() }) };

/**
 * Asks what a council asks, in the same way: a streamed answer in a shape, as a sage gives it, and a plain
 * one, as a reviewer does.
 */
function modelCheck(name: string, open: (name: string) => ChatModel): Check {
  return {
    name: `model ${name}`,
    run: async (signal) => {
      const model = withRetry(open(name));
      const messages = [{ role: 'user', content: 'Answer with the word yes.' }] as const;
      const asked = { messages, stage: 'check', signal } as const;
      const shaped = await askInShape(model, asked, answerShape, {});
      const plain = await model.complete(asked);
      const form = shaped.status === 'shaped' ? [] : ['does not keep to the form it is asked for'];
      const remarks = new Set([...form, ...(shaped.reply.remarks ?? []), ...(plain.remarks ?? [])]);
      return ['answers', ...remarks].join('; ');
    },
  };
}
