/** A bot that remembers things, and what people are shown of them by `/council memory`. */

import type { Person, Place, Reply } from '../../commands/command.ts';
import type { Shard } from '../../src/store/store.ts';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import { type BotChanges, question, startBot, type TestBot } from './bot-fixture.ts';
import { command, here, member } from './commanding.ts';

/** Something that is asked of ben, who answers with `reply`. */
export interface AskedOfBen {
  readonly asked: string;
  readonly reply?: string;
  readonly place?: Pick<Place, 'threadId' | 'isPrivate' | 'isPrivateThread'>;
  readonly author?: { readonly id: string; readonly name: string };
}

export interface RememberingBot extends TestBot {
  readonly models: ReturnType<typeof scriptedModels>;
}

/**
 * Asks one thing after the other, a second apart.
 *
 * @param changes.more - How many further questions ben has an answer to.
 */
export async function botThatWasAsked(
  all: readonly AskedOfBen[],
  { more = 0, ...changes }: BotChanges & { readonly more?: number } = {},
): Promise<RememberingBot> {
  let now = Date.UTC(2026, 10, 20, 10);
  const models = scriptedModels({
    sages: {
      ben: [
        ...all.map(({ reply = 'Noted.' }) => answer(reply)),
        ...Array.from({ length: more }, () => answer('Noted.')),
      ],
    },
  });
  const started = await startBot(models, { now: () => now, ...changes });
  for (const [index, { asked, place = here, author = question.author }] of all.entries()) {
    now += 1000;
    const { threadId, isPrivate, isPrivateThread } = place;
    await started.bot.ask({
      ...question,
      threadId,
      author,
      question: asked,
      sages: ['ben'],
      askedAt: now,
      ...(isPrivate !== undefined && { isPrivate }),
      ...(isPrivateThread !== undefined && { isPrivateThread }),
      eventId: `event-${index}`,
    });
    await started.idle();
  }
  return { ...started, models };
}

/** Asks ben one thing more. */
export async function askMore(
  { bot, idle }: Pick<TestBot, 'bot' | 'idle'>,
  asked: string,
  { threadId, isPrivate }: Pick<Place, 'threadId' | 'isPrivate'> = here,
): Promise<void> {
  await bot.ask({
    ...question,
    threadId,
    question: asked,
    sages: ['ben'],
    eventId: asked,
    ...(isPrivate !== undefined && { isPrivate }),
  });
  await idle();
}

/** Sums up all that a thread has, as the background does. */
export async function sumUp(
  { store }: Pick<TestBot, 'store'>,
  text: string,
  changes: Partial<Shard> = {},
): Promise<Shard> {
  const { threadId = here.threadId } = changes;
  const messages = (await store.messages.page(threadId, { limit: 500 })).toReversed();
  const last = messages.at(-1);
  if (!last) throw new Error(`Nothing was said in ${threadId}.`);
  const shard: Shard = {
    id: `sum of ${messages.length}`,
    threadId,
    text,
    sourceIds: messages.map(({ id }) => id),
    isPrivate: messages.some(({ isPrivate = true }) => isPrivate),
    createdAt: last.createdAt,
    agesFrom: messages[0]?.createdAt ?? 0,
    ...changes,
  };
  if (!(await store.memories.keepShard(shard))) throw new Error('The shard was not kept.');
  return shard;
}

/** Gives the command as a line is read: what to do, and to what. */
export function memory(
  { bot }: Pick<TestBot, 'bot'>,
  options: Readonly<Record<string, unknown>> = {},
  person: Person = member,
  place: Place = here,
): Promise<Reply> {
  return command(bot, 'memory', options, person, place);
}

/** The entries of a list, by their ids. */
export function entriesOf({
  blocks,
}: Reply): readonly { readonly id: string; readonly text: string }[] {
  return blocks
    .flatMap((block) => (block.type === 'fields' ? block.fields : []))
    .map(({ name, value }) => ({ id: name, text: value }));
}

/** The id of the entry with this in it. */
export async function idOf(
  bot: Pick<TestBot, 'bot'>,
  part: string,
  place: Place = here,
): Promise<string> {
  const entries = entriesOf(await memory(bot, {}, member, place));
  const entry = entries.find(({ text }) => text.includes(part));
  if (!entry) throw new Error(`Nothing that is shown has “${part}”: ${JSON.stringify(entries)}`);
  return entry.id;
}

/** What ben was shown with what he was asked last. */
export function lastPrompt({ models }: RememberingBot): string {
  const messages = models.sage({ key: 'ben' }).requests.at(-1)?.messages ?? [];
  return messages.map(({ content }) => content).join('\n');
}
