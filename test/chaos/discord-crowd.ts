import { startDiscord } from '../fakes/discord/discord.ts';
import { textOf } from '../platforms/discord/discord-world.ts';
import { numbered } from './counted-models.ts';
import { type Crowd, drawFault, questionText, type Seat } from './crowd.ts';

/** In the last state of a card. */
const ended = 'Confidence: medium';

/** @param threads - How many people there are, each in a thread of a channel of their own. */
export async function startDiscordCrowd(threads: number): Promise<Crowd> {
  const discord = await startDiscord();
  const guild = discord.addGuild({ name: 'Agora' });
  const asks = questionText(0).slice(numbered(0).length);

  function seatIn(index: number): Seat {
    const channel = discord.addChannel(guild, `channel-${index}`);
    const person = discord.addMember(guild, `Member ${index}`);
    const thread = discord.userOpensThread(channel, person, `Thread ${index}`);
    // A card repeats the question, and at its end the verdict.
    const posts = (ofCards: boolean) =>
      discord
        .messages(thread.id)
        .filter(({ wire }) => wire.author.id !== person.id)
        .map((message) => textOf(message))
        .filter((text) => text.includes(asks) === ofCards);
    return {
      ask: async (text) => {
        const { wire } = discord.userSays(thread, person, text, { mentionsBot: true });
        return `discord:${guild.id}:${wire.id}`;
      },
      // What nobody is connected for is not told later; who is may wait for Redis.
      patienceMs: 30_000,
      said: () => posts(false),
      cards: () => {
        const cards = posts(true);
        return { all: cards.length, ended: cards.filter((text) => text.includes(ended)).length };
      },
    };
  }

  return {
    seats: Array.from({ length: threads }, (_, index) => seatIn(index)),
    environment: { DISCORD_TOKEN: discord.token },
    settings: { discord: { apiUrl: discord.api } },
    spoil(random, share) {
      const posts = [
        'POST /channels/{channel_id}/messages',
        'POST /webhooks/{webhook_id}/{webhook_token}',
      ];
      discord.onCall(({ route }) => {
        if (!posts.includes(route) || random.next() >= share) return;
        discord.faults.failNext(random.pick(posts), drawFault(random));
      });
    },
    violations: () => discord.violations.all.map((one) => JSON.stringify(one)),
    close: () => discord.close(),
  };
}
