/** Turns in a store, and what a prompt is given of them. */

import {
  type ContextOptions,
  type RememberedContext,
  recallContext,
} from '../../src/memory/recall/context.ts';
import { Recollection } from '../../src/memory/recall/recollection.ts';
import type { EarlierMessage } from '../../src/models/chat-model.ts';
import type { JsonObject, Message, Store } from '../../src/store/store.ts';

export const threadId = 'test:w:c:t';

/** Fenced text in one line, e.g. `[question Uma] Why?`. */
export function fencedInShort(content: string): string {
  return content.replace(
    /<(\w+)((?: \w+="[^"]*")*)>\n([\s\S]*?)\n<\/\1>/g,
    (_, kind: string, attributes: string, text: string) =>
      `[${kind} ${Array.from(attributes.matchAll(/"([^"]*)"/g), ([, value]) => value).join()}] ${text}`,
  );
}

export const options: ContextOptions = {
  threadId,
  turnId: 'now',
  question: 'Anything else?',
  interactions: 3,
  chairTurns: 3,
  memories: 10,
  budgetTokens: 4000,
  history: 'summaries',
  reach: 'channel',
  isOpenOutside: false,
  situation: { at: 1000, timeZone: 'UTC' },
  language: 'English',
  compact: async () => {
    throw new Error('Nothing was to be compacted.');
  },
  onTrouble: (error) => {
    throw error;
  },
};

/** Recalls as a process that has just been started; what is fenced is given in short. */
export async function recall(
  store: Store,
  changes: Partial<ContextOptions> = {},
): Promise<RememberedContext> {
  const context = await recallFenced(store, changes);
  // What stands right before the question has tests of its own.
  const inShort = (messages: readonly EarlierMessage[]) =>
    messages.slice(0, -2).map((one) => ({ ...one, content: fencedInShort(one.content) }));
  return {
    ...context,
    forSages: inShort(context.forSages),
    forChair: inShort(context.forChair),
    forReviewers: inShort(context.forReviewers),
  };
}

/** Recalls as a prompt has it. */
export function recallFenced(
  store: Store,
  changes: Partial<ContextOptions> = {},
): Promise<RememberedContext> {
  const { onTrouble } = options;
  const recollection = new Recollection({ store: store.memories, onTrouble });
  return recallContext({ messages: store.messages, recollection }, { ...options, ...changes });
}

/** A turn as it is asked: where, and what. */
export interface Asked {
  readonly threadId?: string;
  readonly question?: string;
  readonly author?: string;
  readonly isPrivate?: boolean;
}

/** Stores a turn that has ended, with its answers by sage and its verdict; the number in its id is its time. */
export async function addTurn(
  store: Store,
  turnId: string,
  answers: Readonly<Record<string, JsonObject>>,
  verdict?: JsonObject,
  {
    threadId: thread = threadId,
    question = `Question ${turnId}`,
    author = 'Uma',
    isPrivate,
  }: Asked = {},
): Promise<void> {
  const createdAt = Number(turnId.replace(/\D/g, ''));
  const message = (
    id: string,
    rest: Pick<Message, 'role' | 'type' | 'content'> & Partial<Message>,
  ): Message => ({
    id: `${turnId}:${id}`,
    threadId: thread,
    turnId,
    status: 'complete',
    ...(isPrivate !== undefined && { isPrivate }),
    createdAt,
    ...rest,
  });
  await store.turns.begin({
    turnId,
    threadId: thread,
    eventId: turnId,
    request: {},
    question: message('question', {
      role: 'human',
      type: 'user_query',
      author,
      content: { type: 'user_query', text: question },
    }),
    createdAt,
  });
  const taken = await store.turns.take({ turnId, threadId: thread });
  await store.turns.checkpoint({
    turnId,
    threadId: thread,
    attempt: taken?.attempt ?? 0,
    messages: Object.entries(answers).map(([sage, content]) =>
      message(sage, { role: 'ai', type: 'sage_output', sage, content }),
    ),
    steps: verdict ? [{ kind: 'verdict', key: '', data: verdict }] : [],
    end: { outcome: 'answered', endedAt: createdAt },
  });
}

/** An answer with a longer and a shorter form. */
export const said = (summary: string) => ({
  status: 'answered',
  answer: `${summary} At length.`,
  summary,
});
