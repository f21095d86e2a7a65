import { ChannelType, Client, Events, GatewayIntentBits, type TextChannel } from 'discord.js';
import { type DiscordOptions, type FakeDiscord, startDiscord } from './discord.ts';

/** What a bot that reads and writes messages asks for, the content of messages included. */
export const allIntents = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.GuildWebhooks,
  GatewayIntentBits.DirectMessages,
  GatewayIntentBits.MessageContent,
] as const;

/** The real client, pointed at the fake and not yet logged in. It need not wait between two identifies. */
export function newClient(
  discord: FakeDiscord,
  intents: readonly GatewayIntentBits[] = allIntents,
  shards?: 'auto',
): Client {
  return new Client({
    ...(shards === undefined ? {} : { shards }),
    intents: [...intents],
    rest: { api: discord.api, timeout: 2000 },
    ws: { buildIdentifyThrottler: async () => ({ waitForIdentify: async () => {} }) },
  });
}

/** The real client, logged in and told of all its guilds. */
export async function connectedClient(
  discord: FakeDiscord,
  intents?: readonly GatewayIntentBits[],
  shards?: 'auto',
): Promise<Client<true>> {
  const client = newClient(discord, intents, shards);
  const ready = new Promise<Client<true>>((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(discord.token);
  return ready;
}

/** A Discord with one guild, one text channel, one member, and no one connected. */
export async function startWorld(options?: DiscordOptions) {
  const discord = await startDiscord(options);
  const guild = discord.addGuild({ name: 'Agora' });
  const channel = discord.addChannel(guild, 'general');
  const ada = discord.addMember(guild, 'Ada');
  return {
    discord,
    guild,
    channel,
    ada,
    [Symbol.asyncDispose]: () => discord.close(),
  };
}

/** The same with the real client connected; `await using` ends both. */
export async function startConnected(
  options?: DiscordOptions & { readonly intents?: readonly GatewayIntentBits[] },
) {
  const world = await startWorld(options);
  const client = await connectedClient(world.discord, options?.intents);
  return {
    ...world,
    client,
    [Symbol.asyncDispose]: async () => {
      await client.destroy();
      await world.discord.close();
    },
  };
}

/** A guild's text channel as the client knows it. */
export function textChannel(client: Client, id: string): TextChannel {
  const channel = client.channels.cache.get(id);
  if (channel?.type === ChannelType.GuildText) return channel;
  throw new Error(`The client knows no text channel ${id}.`);
}
