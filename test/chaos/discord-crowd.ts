/** People in the Discord on loopback who ask questions, and what they got for them. */

import { setTimeout as wait } from 'node:timers/promises';
import { type FakeDiscord, startDiscord } from '../fakes/discord/discord.ts';
import { textOf } from '../platforms/discord/discord-world.ts';
import { callers, numbered } from './counted-models.ts';
import type { Random } from './random.ts';

const question = 'What should we do?';
/** The last state of a card. */
const answered = 'Confidence: medium';

/** One thread of a channel of its own, and the person who asks there. */
type Seat = Awaited<ReturnType<typeof startCrowd>>['seats'][number];

/** A question as it was asked. */
export interface Asked {
  readonly number: number;
  readonly seat: Seat;
  /** Of the message; a question that nobody took is asked again. */
  eventId: string;
}

export async function startCrowd(threads: number) {
  const discord = await startDiscord();
  const guild = discord.addGuild({ name: 'Agora' });
  const seats = Array.from({ length: threads }, (_, index) => {
    const channel = discord.addChannel(guild, `channel-${index}`);
    const person = discord.addMember(guild, `Member ${index}`);
    const thread = discord.userOpensThread(channel, person, `Thread ${index}`);
    return { channel, person, thread, threadId: `discord:${guild.id}:${channel.id}:${thread.id}` };
  });
  return { discord, guild, seats };
}

export function ask(discord: FakeDiscord, { person, thread }: Seat, number: number): string {
  const text = `${numbered(number)} ${question}`;
  return discord.userSays(thread, person, text, { mentionsBot: true }).wire.id;
}

/** Lets a share of the posts go wrong: refused, cut off, cut off after they were done, or never answered. */
export function spoilPosts(discord: FakeDiscord, random: Random, share: number): void {
  const posts = [
    'POST /channels/{channel_id}/messages',
    'POST /webhooks/{webhook_id}/{webhook_token}',
  ];
  discord.onCall(({ route }) => {
    if (!posts.includes(route) || random.next() >= share) return;
    const kinds = ['drop', 'drop after processing', 'silence after processing'] as const;
    const fault =
      random.next() < 0.5
        ? ({ kind: 'status', status: random.pick([500, 502, 503]) } as const)
        : ({ kind: random.pick(kinds) } as const);
    discord.faults.failNext(random.pick(posts), fault);
  });
}

/** What was posted wrongly in a thread: said twice, not at all, out of order, or left open. */
export function faultsOf(discord: FakeDiscord, seat: Seat, asked: readonly Asked[]): string[] {
  const posts = discord
    .messages(seat.thread.id)
    .filter(({ wire }) => wire.author.id !== seat.person.id)
    .map((message) => textOf(message));
  const faults: string[] = [];
  let last = -1;
  for (const { number } of asked) {
    // A card repeats the question, and at its end the verdict.
    const cards = posts.filter((text) => text.includes(`${numbered(number)} ${question}`));
    if (cards.length !== 1) faults.push(`${numbered(number)} has ${cards.length} cards`);
    if (!cards[0]?.includes(answered)) faults.push(`the card of ${numbered(number)} is left open`);
    const places = callers.map((caller) => {
      const words = `${caller === 'chair' ? 'Verdict' : caller} on ${numbered(number)}`;
      const found = posts.flatMap((text, index) =>
        text.includes(words) && !text.includes(question) ? [index] : [],
      );
      if (found.length !== 1) faults.push(`“${words}” was said ${found.length} times`);
      return found[0] ?? -1;
    });
    if (Math.min(...places) < last) faults.push(`${numbered(number)} was answered out of order`);
    last = Math.max(last, ...places);
  }
  return faults;
}

/** Waits until something holds, looking every so often. @returns Whether it came to hold in time. */
export async function comesToHold(
  holds: () => Promise<boolean>,
  patienceMs: number,
): Promise<boolean> {
  const until = Date.now() + patienceMs;
  while (Date.now() < until) {
    if (await holds()) return true;
    await wait(200);
  }
  return false;
}
