import { describe, test } from 'vitest';
import { silentLog } from '../../../src/domain/log.ts';
import { createDiscord } from '../../../src/platforms/discord/discord.ts';
import { placeOf } from '../../../src/platforms/discord/thread-id.ts';
import { type PlatformWorld, platformCases } from '../../contracts/platform.ts';
import { afterVerdictCases } from '../../contracts/platform-after-verdict.ts';
import { startWorld } from '../../fakes/discord/connected-client.ts';
import { unlimited } from '../unlimited.ts';
import { textOf } from './discord-world.ts';

async function discordWorld(): Promise<PlatformWorld> {
  const { discord, guild, channel, ada, ...world } = await startWorld();
  return {
    open: () =>
      createDiscord({
        token: discord.token,
        api: discord.api,
        commands: [],
        log: silentLog,
        limits: unlimited,
      }),
    ask: async (question) => {
      const { id } = discord.userSays(channel, ada, question).wire;
      const { threadId } = placeOf({ guild: guild.id, channel: channel.id, thread: id });
      const author = { id: ada.id, name: 'Ada' };
      const askedAt = discord.clock.now();
      return { turnId: `turn-${id}`, threadId, eventId: id, question, author, askedAt };
    },
    transcript: ({ eventId }) => {
      const card = discord
        .messages(channel.id)
        .filter(({ wire }) => wire.message_reference?.message_id === eventId);
      return [...card, ...discord.messages(eventId)]
        .map((message) => `${message.wire.author.username}\n${textOf(message)}`)
        .join('\n\n');
    },
    channel: () =>
      discord
        .messages(channel.id)
        .filter(({ wire }) => wire.author.id !== ada.id && !wire.message_reference)
        .map(textOf)
        .join('\n\n'),
    alarms: () => discord.pings().map((pings) => JSON.stringify(pings)),
    shut: () => discord.deleteChannel(channel),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

describe('Discord keeps the contract of platforms:', () => {
  test.each([...platformCases, ...afterVerdictCases])('$name', async ({ run }) => {
    await using world = await discordWorld();
    await run(world);
  });
});
