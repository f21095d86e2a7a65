/** How much of the evidence is found: by what a store and memory recall, and by plain BM25 beside it. */

import { Recollection } from '../src/memory/recall/recollection.ts';
import { analyse } from '../src/memory/recall/retrieval/language.ts';
import { Passages } from '../src/memory/recall/retrieval/passages.ts';
import { PostingLists } from '../src/memory/recall/retrieval/posting-lists.ts';
import { Threads } from '../src/memory/recall/retrieval/threads.ts';
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

/** Where a turn of a conversation is kept, or one that is not said yet. */
export function threadOf(
  { id }: RecallConversation,
  { thread = 'talk' }: Partial<RecallTurn> = {},
): string {
  return `bench:recall:${id}:${thread}`;
}

/** Stores a conversation as one that came from elsewhere. */
export async function storeConversation(
  store: Store,
  conversation: RecallConversation,
): Promise<void> {
  const messages = conversation.turns.map((turn) => messageOf(turn, threadOf(conversation, turn)));
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
    const threads = new Threads();
    for (const [number, turn] of conversation.turns.entries()) {
      const { id: key, speaker, text, createdAt } = turn;
      const analysis = analyse(text);
      words.add(number, new Map([...analysis.words, ...analysis.grams]));
      const placed = { threadId: '', kind: 'message', position: number } as const;
      threads.add({ number, document: { ...placed, key, speaker, text, createdAt } });
    }
    const talk = threads.talk(() => false);
    return conversation.questions.map((question) => {
      const asked = analyse(question.text);
      const terms = [...asked.words.keys(), ...asked.grams.keys()];
      const occurrences = terms.map((term) => words.occurrences([[term, 1]]));
      const kinds = [{ terms: occurrences, lengths: words.lengths }];
      const scores = new Passages(talk).scores({ steps: 0 }, kinds);
      const found = talk.entries
        .map(({ document: { key } }, place) => ({ id: key, score: scores[place] ?? 0 }))
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

function messageOf(turn: RecallTurn, threadId: string): Message {
  const { id, asked, speaker, text, createdAt, isSage } = turn;
  const common = {
    id,
    threadId,
    createdAt,
    status: 'complete',
    ...(asked !== undefined && { turnId: `${threadId} ${asked}` }),
  } as const;
  if (!isSage) {
    const content = { type: 'user_query', text } as const;
    return { ...common, role: 'human', type: 'user_query', author: speaker, content };
  }
  const content = { type: 'sage_output', sage: speaker, answer: text, summary: '' } as const;
  return { ...common, role: 'ai', type: 'sage_output', sage: speaker, content };
}
