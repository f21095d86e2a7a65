/** Exports of any shape, and stores to hold them. */

import fc from 'fast-check';
import { onTestFinished } from 'vitest';
import type { OpenFile } from '../../../src/app/imports/json-parts.ts';
import { compareTexts } from '../../../src/domain/words.ts';
import type {
  Export,
  ExportedMessage,
  ExportedThread,
  ExportedTurn,
  ReadableThread,
} from '../../../src/memory/export/export.ts';
import { type ExportFormat, exportFile } from '../../../src/memory/export/export-file.ts';
import type { ImportOptions } from '../../../src/memory/export/import-threads.ts';
import { openThread } from '../../../src/memory/export/read-place.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import type { Store } from '../../../src/store/store.ts';

export const channel = 'test:w:c';
export const startOfTime = Date.UTC(2026, 0, 1);

/** Brings back all there is and tells no one. */
export const quietly: ImportOptions = {
  onProgress: () => undefined,
  onNew: async () => undefined,
};

/** A file that comes a few bytes at a time, so that letters and signs are cut in two. */
export function fileOf(text: string): OpenFile {
  const bytes = Buffer.from(text);
  return async function* () {
    for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
  };
}

export function openStore(): Store {
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  return store;
}

export async function exportThreads(store: Store, threadIds: readonly string[]): Promise<Export> {
  const read = await Promise.all(threadIds.map((id) => openThread(store, id, (step) => [step])));
  return exportOf(channel, await Promise.all(read.map(({ thread }) => wholeThread(thread))));
}

async function all<Item>(items: Iterable<Item> | AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** What is read as it is asked for, all at once. */
export async function wholeThread(thread: ReadableThread): Promise<ExportedThread> {
  const { threadId, turns, messages } = thread;
  return {
    threadId,
    turns: await all(turns),
    messages: await all(messages),
  };
}

/** An export of threads; empty ones are left out. */
export function exportOf(place: string, threads: readonly ExportedThread[]): Export {
  const kept = threads.filter(({ turns, messages }) => turns.length + messages.length > 0);
  return {
    format: 'council-archive',
    version: 1,
    place,
    threads: kept.toSorted((one, other) => compareTexts(one.threadId, other.threadId)),
  };
}

/** The content of a file. */
export async function written({ place, threads }: Export, form: ExportFormat): Promise<string> {
  return (await all(exportFile(place, threads, form).portions)).join('');
}

const text = fc.string({ unit: 'grapheme', maxLength: 40 });
/** Few moments, so that many things happen at once. */
const moment = fc.integer({ min: 0, max: 4 }).map((later) => startOfTime + later);

function message(id: string, role: ExportedMessage['role']): fc.Arbitrary<ExportedMessage> {
  return fc.record({ said: text, createdAt: moment, name: text, isPrivate: fc.boolean() }).map(
    ({ said, createdAt, name, isPrivate }): ExportedMessage =>
      role === 'human'
        ? {
            id,
            role,
            type: 'user_query',
            author: name,
            createdAt,
            isPrivate,
            content: { type: 'user_query', text: said },
          }
        : {
            id,
            role,
            type: 'sage_output',
            sage: name,
            createdAt,
            content: { type: 'sage_output', sage: name, answer: said, summary: said },
          },
  );
}

const synthesis = {
  kind: 'synthesis',
  by: 'test:chair',
  latencyMs: 1,
  minorityReport: '',
  consensus: [],
  disagreements: [],
  dissent: [],
};

function turn(turnId: string): fc.Arbitrary<ExportedTurn> {
  const answers = fc
    .integer({ min: 0, max: 3 })
    .chain((count) =>
      fc.tuple(
        ...Array.from({ length: count }, (_, index) => message(`${turnId}-a${index}`, 'ai')),
      ),
    );
  return fc
    .record({
      question: message(`${turnId}-q`, 'human'),
      answers,
      createdAt: moment,
      verdict: text,
    })
    .map(({ question, answers: said, createdAt, verdict }) => ({
      turnId,
      createdAt,
      endedAt: createdAt + 1,
      outcome: 'answered',
      request: { eventId: `event-of-${turnId}` },
      messages: [question, ...said].map((one) => ({ ...one, turnId })),
      steps: [{ kind: 'verdict', key: '', data: { ...synthesis, verdict } }],
    }));
}

function thread(threadId: string): fc.Arbitrary<ExportedThread> {
  const name = threadId.split(':').join('-');
  const turns = fc
    .integer({ min: 0, max: 3 })
    .chain((count) =>
      fc.tuple(...Array.from({ length: count }, (_, index) => turn(`${name}-t${index}`))),
    );
  const messages = fc
    .array(fc.constantFrom('human', 'ai'), { maxLength: 5 })
    .chain((roles) => fc.tuple(...roles.map((role, index) => message(`${name}-m${index}`, role))));
  return fc.record({ threadId: fc.constant(threadId), turns, messages });
}

/** Exports of up to three threads of one channel. */
export const anyExports: fc.Arbitrary<Export> = fc
  .subarray([`${channel}:one`, `${channel}:two`, `${channel}:three`])
  .chain((ids) => fc.tuple(...ids.map(thread)))
  .map((threads) => exportOf(channel, threads));
