import { cardMark } from '../../src/platforms/discord/presenter/turn-marks.ts';
import { startDiscord } from '../fakes/discord/discord.ts';
import { textOf } from '../platforms/discord/discord-world.ts';
import { answersIn, type Crowd, drawFault, type Seat, type SeenPost } from './crowd.ts';

/** In the last state of a card. */
const closed = 'The council has answered.';

/** @param threads - How many people there are, each in a thread of a channel of their own. */
export async function startDiscordCrowd(threads: number): Promise<Crowd> {
  const discord = await startDiscord();
  const guild = discord.addGuild({ name: 'Agora' });

  function seatIn(index: number): Seat {
    const channel = discord.addChannel(guild, `channel-${index}`);
    const person = discord.addMember(guild, `Member ${index}`);
    const thread = discord.userOpensThread(channel, person, `Thread ${index}`);
    return {
      thread: `discord ${index}`,
      ask: async (text) => {
        const isConnected = discord.gateway.connectedSessions > 0;
        const telling = { at: Date.now(), isConnected };
        const { wire } = discord.userSays(thread, person, text, { mentionsBot: true });
        return {
          eventId: `discord:${guild.id}:${wire.id}`,
          threadId: `discord:${guild.id}:${channel.id}:${thread.id}`,
          // What no one is connected for is not told later; who is may wait for Redis.
          patienceMs: isConnected ? 15_000 : 1000,
          tellings: () => [telling],
        };
      },
      posts: () =>
        discord
          .messages(thread.id)
          .filter(({ wire }) => wire.author.id !== person.id)
          .flatMap((message): readonly SeenPost[] => {
            const text = textOf(message);
            const answers = answersIn(text);
            if (answers.length > 0) return answers;
            const parts = new Set(JSON.stringify(message.wire.components ?? []).match(/"id":\d+/g));
            const isOf = (turnId: string) => parts.has(`"id":${cardMark(turnId)}`);
            return [{ kind: 'card', isOf, isClosed: text.includes(closed) }];
          }),
    };
  }

  return {
    seats: Array.from({ length: threads }, (_, index) => seatIn(index)),
    environment: { DISCORD_TOKEN: discord.token },
    settings: { discord: { apiUrl: discord.api } },
    spoil(random, share, onSpoiled) {
      const posts = [
        'POST /channels/{channel_id}/messages',
        'POST /webhooks/{webhook_id}/{webhook_token}',
      ];
      discord.faults.decide((route) => {
        const fault = posts.includes(route) ? drawFault(random, share) : undefined;
        if (fault) onSpoiled(fault.kind);
        return fault;
      });
    },
    violations: () => discord.violations.all.map((one) => JSON.stringify(one)),
    close: () => discord.close(),
  };
}
