/**
 * What a question costs in one of many busy channels: as many messages in each as are remembered, asked
 * in one after the other. Once with the room that a process has, once with room for 16 channels.
 */

import { Recollection } from '../src/memory/recall/recollection.ts';
import { ScopeIndex } from '../src/memory/recall/scope-index.ts';
import { openSqliteStore } from '../src/store/sqlite.ts';
import { type Message, mostRemembered, type Store } from '../src/store/store.ts';
import { printTable, quantile } from './table.ts';

const counts = [8, 16, 17, 32] as const;
const rounds = 6;
const atOnce = 500;
const messageChars = 500;
const vocabulary = 5000;

export async function benchChannels(): Promise<void> {
  const store = openSqliteStore({ path: ':memory:' });
  const most = counts.at(-1) ?? 0;
  for (let channel = 0; channel < most; channel += 1) await fill(store, channel);
  const bytes = await bytesOfOne(store);
  const recollections = [recollect(store), recollect(store, 16.5 * bytes)];
  const rows: (readonly string[])[] = [];
  let fewest: readonly number[] | undefined;
  for (const count of counts) {
    const medians: number[] = [];
    for (const recollection of recollections) medians.push(await medianOf(recollection, count));
    fewest ??= medians;
    const ratios = medians.map((median, at) => median / (fewest?.[at] ?? Number.NaN));
    rows.push([`${count}`, ...medians.map(inMs), ...ratios.map((ratio) => ratio.toFixed(1))]);
  }
  printTable(
    `A question in one of so many channels of ${mostRemembered} messages, milliseconds of the clock, median`,
    ['channels', 'as it is', 'room for 16', `to ${counts[0]}`, 'room for 16'],
    rows,
  );
  await store.close();
}

function recollect(store: Store, maxBytes?: number): Recollection {
  return new Recollection({
    store: store.memories,
    ...(maxBytes !== undefined && { maxBytes: Math.floor(maxBytes) }),
    onTrouble: (error) => {
      throw error;
    },
  });
}

/** How much room one channel is counted with. */
async function bytesOfOne(store: Store): Promise<number> {
  const index = new ScopeIndex(store.memories, { threadId: threadOf(0), reach: 'channel' });
  await index.update();
  return index.bytes;
}

async function medianOf(recollection: Recollection, count: number): Promise<number> {
  const durations: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    for (let channel = 0; channel < count; channel += 1) {
      const startedAt = performance.now();
      await ask(recollection, channel);
      // In the first round everything is read.
      if (round > 0) durations.push(performance.now() - startedAt);
    }
  }
  return quantile(durations, 0.5);
}

async function ask(recollection: Recollection, channel: number): Promise<void> {
  const scope = { threadId: threadOf(channel), reach: 'channel' } as const;
  const search = await recollection.open({
    scope,
    text: `${wordOf(1)} ${wordOf(17)} ${wordOf(204)}?`,
    language: 'english',
  });
  search(60, () => false);
}

async function fill(store: Store, channel: number): Promise<void> {
  for (let first = 0; first < mostRemembered; first += atOnce) {
    await store.messages.append(
      Array.from({ length: atOnce }, (_, at) => messageAt(channel, first + at)),
    );
  }
}

function messageAt(channel: number, at: number): Message {
  const words: string[] = [];
  for (let chars = 0; chars < messageChars; chars += words.at(-1)?.length ?? 1) {
    // A few words are frequent, most are rare, the same ones in each run.
    const share = ((at * 7919 + words.length * 104_729 + channel * 31) % 100_003) / 100_003;
    words.push(wordOf(Math.floor(vocabulary ** share)));
  }
  return {
    id: `m${at}`,
    threadId: threadOf(channel),
    role: 'human',
    type: 'user_query',
    status: 'complete',
    author: 'Uma',
    content: { text: words.join(' ') },
    createdAt: at,
  } as const;
}

/** Words that are spelt as differently as those of a language. */
function wordOf(rank: number): string {
  const scrambled = (rank * 2_654_435_761) % 4_294_967_291;
  return scrambled.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '');
}

function threadOf(channel: number): string {
  return `bench:w:channel${channel}:t`;
}

function inMs(duration: number): string {
  return duration.toFixed(2);
}
