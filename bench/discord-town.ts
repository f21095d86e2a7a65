/**
 * Discord for the bench, with its limits on, in a process of its own so that its CPU is not counted:
 * `{turns, channels}` as JSON. Tells its address; told to, lets as many members ask at once and, when
 * every card shows its verdict, tells when they saw what, and what the bot asked of Discord for it.
 */

import { once } from 'node:events';
import { z } from 'zod';
import { startDiscord } from '../test/fakes/discord/discord.ts';
import { benchQuestion } from './bench-council.ts';
import type { DiscordFigures } from './discord.ts';

const { turns, channels: channelCount } = z
  .object({ turns: z.number(), channels: z.number() })
  .parse(JSON.parse(process.argv[2] ?? '{}'));
/** All the turns of the bench fit into one channel's budget for webhooks by then. */
const patienceMs = 1_200_000;

const discord = await startDiscord({ rateLimits: true });
const guild = discord.addGuild({ name: 'Agora' });
const channels = Array.from({ length: channelCount }, (_, index) =>
  discord.addChannel(guild, `room-${index}`),
);
const members = Array.from({ length: turns }, (_, index) => discord.addMember(guild, `m${index}`));
process.send?.({ api: discord.api, token: discord.token });
await once(process, 'message');

const callsBefore = discord.calls.length;
const askedAt = Date.now();
const asked = members.flatMap((user, index) => {
  const channel = channels[index % channelCount];
  if (!channel) return [];
  const options = { question: benchQuestion };
  return [discord.slash({ user, channel, command: 'council', subcommand: 'ask', options })];
});
await discord.until(() => asked.every(isOver), 'the end of all turns', patienceMs);

const calls = discord.calls.slice(callsBefore);
const figures: DiscordFigures = {
  turns: asked.map(({ id, originalMessageId: card = '' }) => {
    const seen = (what: RegExp) => {
      const call = calls.find(
        ({ route, path, status = 500, body }) =>
          status < 300 && what.test(`${route} ${path} ${JSON.stringify(body)}`),
      );
      return call ? call.atMs - askedAt : Number.NaN;
    };
    const count = (what: RegExp) =>
      calls.filter(({ route, path }) => what.test(`${route} ${path}`)).length;
    return {
      cardMs: seen(new RegExp(`/callback /interactions/${id}/`)),
      firstAnswerMs: seen(new RegExp(`^POST .*thread_id=${card} `)),
      verdictMs: seen(new RegExp(`^POST .*/channels/${card}/messages .*## Verdict`)),
      lastCardMs: seen(new RegExp(`^PATCH .*/messages/${card} .*Read the whole council`)),
      posts: count(
        new RegExp(`^POST .*(/interactions/${id}/|thread_id=${card}$|/channels/${card}/messages$)`),
      ),
      edits: count(new RegExp(`^PATCH .*/messages/${card}$`)),
    };
  }),
  requests: calls.length,
  tooMany: calls.filter(({ status }) => status === 429).length,
  violations: discord.violations.all.length,
};
process.send?.(figures);
process.on('disconnect', () => {
  void discord.close();
});

/** Whether the card of a question shows what came of it. */
function isOver({ channelId, originalMessageId }: (typeof asked)[number]): boolean {
  const card = discord.state.messages.get(channelId)?.get(originalMessageId ?? '');
  return JSON.stringify(card?.wire.components ?? []).includes('Read the whole council');
}
