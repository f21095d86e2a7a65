import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Recollection, type RecollectionOptions } from '../../src/memory/recall/recollection.ts';
import { ModelError } from '../../src/models/chat-model.ts';
import type { Embedder } from '../../src/models/embeddings.ts';
import { openEmbedder } from '../../src/models/providers.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { MemoryStore, Store } from '../../src/store/store.ts';
import { imported } from '../contracts/store/samples.ts';
import type { RehearsalServer } from '../fakes/rehearsal/options.ts';
import { startRehearsalServer } from '../fakes/rehearsal/server.ts';

let store: Store;
let server: RehearsalServer;

beforeAll(async () => {
  server = await startRehearsalServer({ sages: [] });
});
afterAll(() => server.close());
beforeEach(async () => {
  store = openSqliteStore({ path: ':memory:' });
  await store.messages.append(
    Object.keys(directions).map((text, at) =>
      imported(text, 'human', { content: { text }, threadId: `p:w:c:${at}`, createdAt: at }),
    ),
  );
});
afterEach(() => store.close());

/** Two subjects, and words that a text about one shares with none about it. */
const directions: Readonly<Record<string, readonly number[]>> = {
  'A vessel left the port.': [1, 0.1],
  'The oak lost its leaves.': [0.1, 1],
};

/** Makes vectors by subject; everything it does not know is about ships. */
function subjects(id: string): Embedder & { readonly batches: readonly (readonly string[])[] } {
  const batches: (readonly string[])[] = [];
  return {
    id,
    batches,
    embed: async (texts) => {
      batches.push(texts);
      return { vectors: texts.map((text) => directions[text] ?? [1, 0]) };
    },
  };
}

function recollect(options: Partial<RecollectionOptions>): Recollection {
  const onTrouble = (error: unknown) => {
    throw error;
  };
  return new Recollection({ store: store.memories, onTrouble, ...options });
}

/** The store's memories, and the threads of the scopes that are read. */
function countingReads() {
  const reads: string[] = [];
  const memories: MemoryStore = {
    ...store.memories,
    read: (scope, options) => {
      reads.push(scope.threadId);
      return store.memories.read(scope, options);
    },
  };
  return { reads, memories };
}

async function found(recollection: Recollection, text: string): Promise<readonly string[]> {
  const scope = { threadId: 'p:w:c:new', reach: 'channel' } as const;
  const search = await recollection.open({ scope, text, language: 'english' });
  return search(10, () => false).map(({ id }) => id);
}

const [ship = '', oak = ''] = Object.keys(directions);

describe('vectors of what is remembered', () => {
  test('are made in the background, once, and then find what was said in other words', async () => {
    const embedder = subjects('p:m');
    const recollection = recollect({ embedderOf: () => embedder });
    expect(await found(recollection, 'Which boat?')).toEqual([]);
    await recollection.embedded();
    expect(await found(recollection, 'Which boat?')).toEqual([ship, oak]);
    await recollection.embedded();
    expect(
      embedder.batches
        .flat()
        .filter((text) => text in directions)
        .sort(),
    ).toEqual([ship, oak].sort());
  });

  test('are paid for once where two scopes hold the same, asked for at the same time', async () => {
    const embedder = subjects('p:m');
    const recollection = recollect({ embedderOf: () => embedder });
    await Promise.all([
      recollection.all({ scope: { threadId: 'p:w:c:0', reach: 'thread' } }),
      recollection.all({ scope: { threadId: 'p:w:c:0', reach: 'channel' } }),
      recollection.all({ scope: { threadId: 'p:w:c:0', reach: 'workspace' } }),
    ]);
    await recollection.embedded();
    expect(embedder.batches.flat().sort()).toEqual([ship, oak].sort());
    expect(await found(recollection, 'Which boat?')).toEqual([ship, oak]);
    await recollection.close();
  });

  test('are taken from the store by the next process, for its first question', async () => {
    const first = recollect({ embedderOf: () => subjects('p:m') });
    await found(first, 'Which boat?');
    await first.embedded();
    await first.close();
    const embedder = subjects('p:m');
    const next = recollect({ embedderOf: () => embedder });
    expect(await found(next, 'Which boat?')).toEqual([ship, oak]);
    expect(embedder.batches.flat()).toEqual(['Which boat?']);
  });

  test('are made anew for another model, and never compared with those of the one before', async () => {
    const first = recollect({ embedderOf: () => subjects('p:m') });
    await found(first, 'Which boat?');
    await first.embedded();
    await first.close();
    const embedder = subjects('p:other');
    const other = recollect({ embedderOf: () => embedder });
    expect(await found(other, 'Which boat?')).toEqual([]);
    await other.embedded();
    expect(await found(other, 'Which boat?')).toEqual([ship, oak]);
    expect(embedder.batches.flat()).toContain(oak);
  });

  test('that fail to come leave a question to its words, and are told', async () => {
    const troubles: string[] = [];
    const embed = async () => {
      throw new Error('no key');
    };
    const embedder = { id: 'p:m', embed };
    const recollection = recollect({
      embedderOf: () => embedder,
      onTrouble: (_, what) => troubles.push(what),
    });
    expect(await found(recollection, 'Which vessel?')).toEqual([ship]);
    await recollection.embedded();
    expect(troubles.sort()).toEqual([
      'a question is searched by words alone',
      'new memories are found by their words alone',
    ]);
  });

  test('that come too late leave a question to its words, and the model is named', async () => {
    const troubles: string[] = [];
    let embed = subjects('p:m').embed;
    const recollection = recollect({
      embedderOf: () => ({ id: 'p:m', embed: (...given) => embed(...given) }),
      onTrouble: (error, what) => troubles.push(`${what}: ${error}`),
    });
    await found(recollection, 'Which boat?');
    await recollection.embedded();
    embed = () => new Promise(() => undefined);
    expect(await found(recollection, 'Which vessel?')).toEqual([ship]);
    expect(troubles).toEqual([
      'a question is searched by words alone: Error: p:m made no vector within 400 ms.',
    ]);
  });

  test('that a model refuses to make of one text are missing of that text alone', async () => {
    const texts = Array.from({ length: 80 }, (_, at) => (at === 70 ? 'A poison.' : `Text ${at}.`));
    await store.messages.append(
      texts.map((text, at) =>
        imported(`m${at}`, 'human', { content: { text }, threadId: 'p:w:c:x', createdAt: 10 + at }),
      ),
    );
    const asked: (readonly string[])[] = [];
    const embedder: Embedder = {
      id: 'p:m',
      embed: async (some) => {
        asked.push(some);
        if (!some.some((text) => text.includes('poison'))) {
          return { vectors: some.map((text) => directions[text] ?? [1, 0]) };
        }
        throw new ModelError('Too long.', { failure: 'bad_request', model: 'p:m' });
      },
    };
    const troubles: string[] = [];
    const recollection = recollect({
      embedderOf: () => embedder,
      onTrouble: (_, what) => troubles.push(what),
    });
    const scope = { threadId: 'p:w:c:0', reach: 'channel' } as const;
    await recollection.all({ scope });
    await recollection.embedded();
    const keys = [...texts.keys()].map((at) => ({
      ...({ kind: 'message', threadId: 'p:w:c:x', id: `m${at}` } as const),
    }));
    const vectors = await store.memories.vectors('p:m', keys);
    expect([...vectors.keys()].filter((at) => !vectors[at])).toEqual([70]);
    expect(asked.length).toBeLessThan(20);
    expect(troubles).toEqual(['a memory is found by its words alone']);
    asked.length = 0;
    await recollection.all({ scope });
    await recollection.embedded();
    expect(asked).toEqual([]);
  });

  test('of a model that refuses every text are not asked for one by one', async () => {
    let calls = 0;
    const troubles: string[] = [];
    const embed = async () => {
      calls += 1;
      throw new ModelError('No embeddings here.', { failure: 'bad_request', model: 'p:m' });
    };
    const recollection = recollect({
      embedderOf: () => ({ id: 'p:m', embed }),
      onTrouble: (_, what) => troubles.push(what),
    });
    await recollection.all({ scope: { threadId: 'p:w:c:0', reach: 'channel' } });
    await recollection.embedded();
    expect(calls).toBe(2);
    expect(troubles).toEqual(['new memories are found by their words alone']);
  });

  test('are made of text that ends where a sign does', async () => {
    const text = `${'a'.repeat(7999)}🙂`;
    await store.messages.append([
      imported('long', 'human', { content: { text }, threadId: 'p:w:c:x', createdAt: 10 }),
    ]);
    const embedder = subjects('p:m');
    const recollection = recollect({ embedderOf: () => embedder });
    await recollection.all({ scope: { threadId: 'p:w:c:x', reach: 'thread' } });
    await found(recollection, text);
    await recollection.embedded();
    const long = embedder.batches.flat().filter((one) => one.startsWith('aa'));
    expect(long).toHaveLength(2);
    expect(long.every((one) => one.isWellFormed() && one.length <= 8000)).toBe(true);
  });

  test('cost no read of the store besides that of the question', async () => {
    const { reads, memories } = countingReads();
    const recollection = recollect({ store: memories, embedderOf: () => subjects('p:m') });
    for (let round = 1; round <= 3; round += 1) {
      await found(recollection, 'Which boat?');
      await recollection.embedded();
      expect(reads).toHaveLength(round);
    }
  });

  test('that still wait when the process ends are not begun', async () => {
    const { reads, memories } = countingReads();
    const asked = Promise.withResolvers<void>();
    const embedder: Embedder = {
      id: 'p:m',
      embed: (_, signal) =>
        new Promise((_resolve, reject) => {
          asked.resolve();
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    };
    const recollection = recollect({ store: memories, embedderOf: () => embedder });
    for (const channel of ['c', 'd', 'e']) {
      recollection.embedSoon({ threadId: `p:w:${channel}:0`, reach: 'channel' });
    }
    await asked.promise;
    await recollection.close();
    expect(reads).toEqual(['p:w:c:0']);
  });

  test('that take too long for a question are not waited for', async () => {
    const quick = recollect({ embedderOf: () => subjects('p:m') });
    await found(quick, 'Which boat?');
    await quick.embedded();
    await quick.close();
    const troubles: string[] = [];
    const hang = () => new Promise<never>(() => undefined);
    const slow = recollect({
      embedderOf: () => ({ id: 'p:m', embed: hang }),
      onTrouble: (_, what) => troubles.push(what),
    });
    await found(slow, 'Which boat?');
    await slow.embedded();
    expect(await found(slow, 'Which vessel?')).toEqual([ship]);
  });
});

describe('the embedding model behind the API', () => {
  const provider = () => ({
    rehearsal: {
      baseUrl: server.baseUrl,
      structuredOutput: 'json_schema',
      streamUsage: true,
    } as const,
  });
  const { signal } = new AbortController();

  test('gives a vector for each text, in their order', async () => {
    const embedder = openEmbedder('rehearsal:sages-embedding', provider());
    const texts = ['the harbour', 'an oak', 'the harbour'];
    const { vectors, usage } = await embedder.embed(texts, signal);
    const [one, two, again] = vectors;
    expect(usage).toEqual({ inputTokens: 7, outputTokens: 0, reasoningTokens: 0 });
    expect(one).toHaveLength(256);
    expect(again).toEqual(one);
    expect(two).not.toEqual(one);
    expect(await embedder.embed([], signal)).toEqual({ vectors: [] });
  });

  test('finds what is spelt alike, through the whole of memory', async () => {
    const recollection = recollect({
      embedderOf: () => openEmbedder('rehearsal:sages-embedding', provider()),
    });
    await found(recollection, 'vessels');
    await recollection.embedded();
    expect((await found(recollection, 'vessels'))[0]).toBe(ship);
    expect(
      (
        await store.memories.vectors('rehearsal:sages-embedding', [
          { kind: 'message', threadId: 'p:w:c:0', id: ship },
        ])
      )[0]?.dimensions,
    ).toBe(256);
    await recollection.close();
  });

  test('says what to do about a model that is not there, and what name is none', async () => {
    const embedder = openEmbedder('rehearsal:nothing', provider());
    await expect(embedder.embed(['x'], signal)).rejects.toMatchObject({
      name: 'ModelError',
      failure: 'model_not_found',
    });
    expect(() => openEmbedder('sages', provider())).toThrow(/text-embedding-3-small/);
  });
});
