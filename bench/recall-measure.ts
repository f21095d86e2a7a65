/** How much of the evidence is found: by what a store and memory recall, and by plain BM25 beside it. */

import { Recollection } from '../src/memory/recall/recollection.ts';
import { analyse } from '../src/memory/recall/retrieval/analysis.ts';
import { addBm25 } from '../src/memory/recall/retrieval/lexical-scores.ts';
import { PostingLists } from '../src/memory/recall/retrieval/posting-lists.ts';
import type { Message, Store } from '../src/store/store.ts';
import type { RecallConversation, RecallQuestion, RecallTurn } from './recall-data.ts';

/** How many of the first found count. */
export const depths = [5, 10, 50] as const;
const mostFound = 50;

/** What was found for one question: the ids of the turns, best first. */
export interface Answered {
  readonly conversation: RecallConversation;
  readonly question: RecallQuestion;
  readonly found: readonly string[];
}

/** Where a conversation is kept. */
export function threadOf({ id }: RecallConversation): string {
  return `bench:recall:${id}:talk`;
}

/** Stores a conversation as one that came from elsewhere. */
export async function storeConversation(
  store: Store,
  conversation: RecallConversation,
): Promise<void> {
  const messages = conversation.turns.map((turn) => messageOf(turn, threadOf(conversation)));
  await store.messages.append(messages);
}

/** Asks everything of what was stored. */
export async function askAll(
  store: Store,
  conversations: readonly RecallConversation[],
): Promise<readonly Answered[]> {
  const recollection = new Recollection({
    store: store.memories,
    onTrouble: (error) => {
      throw error;
    },
  });
  const answered: Answered[] = [];
  for (const conversation of conversations) {
    const scope = { threadId: threadOf(conversation), reach: 'channel' } as const;
    for (const question of conversation.questions) {
      const search = await recollection.open({ scope, text: question.text, language: 'auto' });
      const found = search(mostFound, () => false);
      answered.push({ conversation, question, found: found.map(({ id }) => id) });
    }
  }
  return answered;
}

/** BM25 over the words as they are, and nothing else. */
export function askPlainBm25(conversations: readonly RecallConversation[]): readonly Answered[] {
  return conversations.flatMap((conversation) => {
    const words = new PostingLists();
    const lengths: number[] = [];
    for (const [number, turn] of conversation.turns.entries()) {
      const analysis = analyse(turn.text);
      words.add(number, new Map([...analysis.words, ...analysis.grams]));
      lengths.push(analysis.wordCount + analysis.gramCount);
    }
    const collection = {
      size: lengths.length,
      length: lengths.reduce((sum, length) => sum + length, 0),
      lengths,
    };
    return conversation.questions.map((question) => {
      const scores = new Float64Array(lengths.length);
      const asked = analyse(question.text);
      for (const term of [...asked.words.keys(), ...asked.grams.keys()]) {
        addBm25(scores, words.occurrences([[term, 1]]), collection);
      }
      const found = conversation.turns
        .map(({ id }, number) => ({ id, score: scores[number] ?? 0 }))
        .filter(({ score }) => score > 0)
        .sort((one, other) => other.score - one.score)
        .slice(0, mostFound)
        .map(({ id }) => id);
      return { conversation, question, found };
    });
  });
}

/** The mean share of a question's evidence among the first found, in percent. */
export function recallAt(answered: readonly Answered[], depth: number): number {
  const shares = answered.map(({ question, found }) => {
    const first = new Set(found.slice(0, depth));
    return question.evidence.filter((id) => first.has(id)).length / question.evidence.length;
  });
  return (100 * shares.reduce((sum, share) => sum + share, 0)) / shares.length;
}

function messageOf({ id, speaker, text, createdAt }: RecallTurn, threadId: string): Message {
  return {
    id,
    threadId,
    role: 'human',
    type: 'user_query',
    status: 'complete',
    author: speaker,
    content: { type: 'user_query', text },
    createdAt,
  };
}
