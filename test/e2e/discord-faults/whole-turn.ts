/** A turn of four sages in Discord, and whether all of it is there: each message once, in order. */

import { expect } from 'vitest';
import type { Log } from '../../../src/domain/log.ts';
import type { FakeDiscord } from '../../fakes/discord/discord.ts';
import type { Fault } from '../../fakes/discord/rest/faults.ts';
import { type CouncilInDiscord, textOf } from '../../platforms/discord/discord-world.ts';

/** Requests that make something people see. */
export const routes = {
  webhookPost: 'POST /webhooks/{webhook_id}/{webhook_token}',
  botPost: 'POST /channels/{channel_id}/messages',
  cardEdit: 'PATCH /channels/{channel_id}/messages/{message_id}',
  thread: 'POST /channels/{channel_id}/messages/{message_id}/threads',
  callback: 'POST /interactions/{interaction_id}/{interaction_token}/callback',
  newWebhook: 'POST /channels/{channel_id}/webhooks',
  history: 'GET /channels/{channel_id}/messages',
} as const;

/** A log of the bot that remembers in which order the sages ended. */
export interface EndOrder {
  readonly log: Log;
  /** Keys, e.g. `ada`; the first to end comes first. */
  readonly sages: readonly string[];
}

export function endOrder(): EndOrder {
  const sages: string[] = [];
  const log: Log = {
    info: (facts, sentence) => {
      if (sentence === 'sage ended') sages.push(String(facts.sage));
    },
    warn: () => undefined,
    error: () => undefined,
    child: () => log,
  };
  return { log, sages };
}

const answers: Readonly<Record<string, string>> = {
  ada: 'Ada says yes.',
  ben: 'Ben says no.',
  cleo: 'Cleo says later.',
  dan: 'Dan says in parts.',
};

/** Makes one request of a route fail; the next one has number 1. */
export function failRequest(
  discord: FakeDiscord,
  { route, number, fault }: { route: string; number: number; fault: Fault },
): void {
  if (number === 1) {
    discord.faults.failNext(route, fault);
    return;
  }
  let count = 0;
  const stop = discord.onCall((call) => {
    if (call.route !== route) return;
    count += 1;
    if (count < number - 1) return;
    discord.faults.failNext(route, fault);
    stop();
  });
}

/** Texts of a thread's messages, oldest first. */
export function said({ discord }: Pick<CouncilInDiscord, 'discord'>, threadId: string) {
  return discord.messages(threadId).map((message) => textOf(message).trim());
}

/** Waits for the end of the only turn of a channel; fails unless all of `wholeScript` is there, once and in order. */
export async function expectWholeTurn(
  council: Pick<CouncilInDiscord, 'discord' | 'channel' | 'bot'>,
  { sages }: EndOrder,
): Promise<void> {
  const { discord, channel, bot } = council;
  await discord.until(() => discord.threads(channel.id).length > 0, 'the thread');
  await bot.idle();
  const threads = discord.threads(channel.id);
  expect(threads).toHaveLength(1);
  const texts = said(council, threads[0]?.id ?? '');
  expect(texts).toEqual([
    ...sages.map((sage) => answers[sage]),
    expect.stringContaining('### Ranking by 4 blind ballots'),
    expect.stringContaining('## Verdict'),
  ]);
  expect(texts).toHaveLength(6);
  const cards = discord.messages(channel.id).filter(({ wire }) => wire.author.bot === true);
  expect(cards.map(textOf)).toEqual([expect.stringContaining('Read the whole council')]);
  expect(discord.violations.all).toEqual([]);
}
