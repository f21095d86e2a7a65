import { Client, Events, GatewayIntentBits } from 'discord.js';
import type { FakeDiscord } from './discord.ts';

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
): Client {
  return new Client({
    intents: [...intents],
    rest: { api: discord.api, timeout: 2000 },
    ws: { buildIdentifyThrottler: async () => ({ waitForIdentify: async () => {} }) },
  });
}

/** The real client, logged in and told of all its guilds. */
export async function connectedClient(
  discord: FakeDiscord,
  intents?: readonly GatewayIntentBits[],
): Promise<Client<true>> {
  const client = newClient(discord, intents);
  const ready = new Promise<Client<true>>((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(discord.token);
  return ready;
}
