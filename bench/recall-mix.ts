/** What a prompt may hold of earlier talk, and how much of the evidence is in it: recent turns, raw memories, shards. */

import { countTokens } from 'gpt-tokenizer';
import { Recollection } from '../src/memory/recall/recollection.ts';
import type { Store } from '../src/store/store.ts';
import type { RecallConversation, RecallQuestion } from './recall-data.ts';
import { threadOf } from './recall-measure.ts';
import { printTable } from './table.ts';

const budgetTokens = 700;
const windowTurns = 4;

interface Mix {
  readonly recent: number;
  readonly raw: number;
  readonly shards: number;
}

const mixes: readonly Mix[] = [
  { recent: 5, raw: 0, shards: 10 },
  { recent: 5, raw: 10, shards: 0 },
  { recent: 5, raw: 10, shards: 10 },
  { recent: 0, raw: 10, shards: 10 },
  { recent: 5, raw: 50, shards: 0 },
];

/** Something that may go into a prompt. */
interface Part {
  readonly tokens: number;
  /** Turns that are in it. */
  readonly turns: readonly string[];
}

/**
 * Adds shards to what was stored, of 4 turns each as they are made where there is no model, and prints
 * what each mix holds of a budget that takes the nearest first, without what is too long for the rest.
 */
export async function benchPromptMix(
  store: Store,
  conversations: readonly RecallConversation[],
): Promise<void> {
  const recollection = new Recollection({
    store: store.memories,
    onTrouble: (error) => {
      throw error;
    },
  });
  for (const conversation of conversations) await addShards(store, conversation);
  const covered = new Map<Mix, number[]>(mixes.map((mix) => [mix, []]));
  const spent = new Map<Mix, number[]>(mixes.map((mix) => [mix, []]));
  for (const conversation of conversations) {
    const scope = { threadId: threadOf(conversation), reach: 'channel' } as const;
    for (const question of conversation.questions) {
      const search = await recollection.open({ scope, text: question.text, language: 'auto' });
      const find = (kind: 'message' | 'shard') => search(50, (memory) => memory.kind !== kind);
      const raw = find('message').map(({ id, speaker, shown }) => ({
        tokens: countTokens(`${speaker}: ${shown}`),
        turns: [id],
      }));
      const shards = find('shard').map(({ id, shown }) => ({
        tokens: countTokens(shown),
        turns: id.split(' '),
      }));
      for (const mix of mixes) {
        const parts = fill(mix, recentOf(conversation, mix), raw, shards);
        covered.get(mix)?.push(shareOf(question, parts));
        spent.get(mix)?.push(parts.reduce((sum, { tokens }) => sum + tokens, 0));
      }
    }
  }
  printTable(
    `Evidence in a prompt of at most ${budgetTokens} tokens, in percent (shards: ${windowTurns} turns as they are)`,
    ['recent turns', 'messages', 'shards', 'evidence', 'tokens'],
    mixes.map((mix) => [
      ...[mix.recent, mix.raw, mix.shards].map(String),
      (100 * mean(covered.get(mix) ?? [])).toFixed(1),
      mean(spent.get(mix) ?? []).toFixed(0),
    ]),
  );
}

/** Recent turns first, then messages and shards by turns, each kind nearest first. */
function fill(
  mix: Mix,
  recent: readonly Part[],
  raw: readonly Part[],
  shards: readonly Part[],
): readonly Part[] {
  const parts: Part[] = [...recent];
  let tokens = recent.reduce((sum, part) => sum + part.tokens, 0);
  const inTurn = Array.from({ length: Math.max(mix.raw, mix.shards) }, (_, at) => [
    at < mix.raw ? raw[at] : undefined,
    at < mix.shards ? shards[at] : undefined,
  ]).flat();
  for (const part of inTurn) {
    const there = new Set(parts.flatMap(({ turns }) => turns));
    if (!part || part.turns.every((turn) => there.has(turn))) continue;
    if (tokens + part.tokens > budgetTokens) continue;
    tokens += part.tokens;
    parts.push(part);
  }
  return parts;
}

function recentOf({ turns }: RecallConversation, { recent }: Mix): readonly Part[] {
  return turns.slice(turns.length - recent).map(({ id, speaker, text }) => ({
    tokens: countTokens(`${speaker}: ${text}`),
    turns: [id],
  }));
}

function shareOf({ evidence }: RecallQuestion, parts: readonly Part[]): number {
  const there = new Set(parts.flatMap(({ turns }) => turns));
  return evidence.filter((id) => there.has(id)).length / evidence.length;
}

async function addShards(store: Store, conversation: RecallConversation): Promise<void> {
  const { turns } = conversation;
  for (let at = 0; at < turns.length; at += windowTurns) {
    const sources = turns.slice(at, at + windowTurns);
    const [first] = sources;
    if (!first) continue;
    await store.memories.keepShard({
      id: sources.map(({ id }) => id).join(' '),
      threadId: threadOf(conversation),
      text: sources.map(({ speaker, text }) => `${speaker}: ${text}`).join('\n'),
      sourceIds: sources.map(({ id }) => id),
      isPrivate: true,
      createdAt: first.createdAt,
      agesFrom: first.createdAt,
    });
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
