/**
 * `npm run bench -- recall FILE`: how much of what answers a question is recalled, on a file in the form
 * of LoCoMo. Without FILE it is the repository's own, of councils and of people in four languages; its
 * conversations are short, so its figures are not to be compared with LoCoMo's.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRedisStore } from '../src/store/redis.ts';
import { openSqliteStore } from '../src/store/sqlite.ts';
import type { Store } from '../src/store/store.ts';
import { openUpstashStore } from '../src/store/upstash.ts';
import { startRedisServer } from '../test/fakes/redis-server.ts';
import { startUpstashServer } from '../test/fakes/upstash/server.ts';
import { benchSearchCpu } from './recall-cpu.ts';
import { readConversations } from './recall-data.ts';
import {
  type Answered,
  askAll,
  askPlainBm25,
  depths,
  recallAt,
  storeConversation,
} from './recall-measure.ts';
import { benchPromptMix } from './recall-mix.ts';
import { printTable } from './table.ts';

const ownFile = new URL('../test/fixtures/recall/conversations.json', import.meta.url).pathname;

export async function benchRecall(path = ownFile): Promise<void> {
  const conversations = readConversations(path);
  const turns = conversations.reduce((sum, one) => sum + one.turns.length, 0);
  const questions = conversations.reduce((sum, one) => sum + one.questions.length, 0);
  process.stdout.write(
    `\n${path}: ${conversations.length} conversations, ${turns} turns, ${questions} questions with evidence.\n` +
      (path === ownFile
        ? 'This is our own file. LoCoMo’s figures need LoCoMo’s file: npm run bench -- recall locomo10.json\n'
        : ''),
  );
  const plain = askPlainBm25(conversations);
  for (const [name, open] of Object.entries(backends)) {
    await using backend = await open();
    for (const conversation of conversations) await storeConversation(backend.store, conversation);
    const recalled = await askAll(backend.store, conversations);
    printRecall(`Recall on ${name}, in percent, beside plain BM25`, recalled, plain);
    if (name === 'SQLite') await benchPromptMix(backend.store, conversations);
  }
  await benchSearchCpu(conversations);
}

function printRecall(
  title: string,
  recalled: readonly Answered[],
  plain: readonly Answered[],
): void {
  const parts: readonly (readonly [string, (one: Answered) => boolean])[] = [
    ['overall', () => true],
    ['first half', ({ conversation }) => !conversation.isHeldOut],
    ['held out', ({ conversation }) => conversation.isHeldOut],
    ...partsBy(recalled, ({ question }) => question.category),
    ...partsBy(recalled, ({ conversation }) => conversation.language),
  ];
  printTable(
    title,
    ['questions', 'number', ...depths.flatMap((depth) => [`at ${depth}`, `BM25 at ${depth}`])],
    parts.map(([name, isOf]) => {
      const [ours, theirs] = [recalled.filter(isOf), plain.filter(isOf)];
      const figures = depths.flatMap((depth) => [recallAt(ours, depth), recallAt(theirs, depth)]);
      return [name, String(ours.length), ...figures.map((figure) => figure.toFixed(1))];
    }),
  );
}

/** What is alike in something, by its name. */
function partsBy(
  recalled: readonly Answered[],
  nameOf: (one: Answered) => string,
): readonly (readonly [string, (one: Answered) => boolean])[] {
  const names = [...new Set(recalled.map(nameOf))].sort();
  return names.map((name) => [name, (one) => nameOf(one) === name]);
}

interface Backend extends AsyncDisposable {
  readonly store: Store;
}

const backends: Readonly<Record<string, () => Promise<Backend>>> = {
  SQLite: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'council-recall-'));
    const store = openSqliteStore({ path: join(folder, 'council.db') });
    return backend(store, () => rm(folder, { recursive: true }));
  },
  Redis: async () => {
    const server = await startRedisServer();
    return backend(await openRedisStore({ url: server.url }), () => server.remove());
  },
  Upstash: async () => {
    const server = await startRedisServer();
    const endpoint = await startUpstashServer(server.url);
    return backend(openUpstashStore(endpoint), async () => {
      await endpoint.close();
      await server.remove();
    });
  },
};

function backend(store: Store, remove: () => Promise<void>): Backend {
  return {
    store,
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await remove();
    },
  };
}
