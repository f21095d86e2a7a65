import { GatewayCloseCodes, GatewayIntentBits } from 'discord-api-types/v10';
import type { Identify } from './connection.ts';

const privileged =
  GatewayIntentBits.GuildMembers |
  GatewayIntentBits.GuildPresences |
  GatewayIntentBits.MessageContent;
const allIntents = Object.values(GatewayIntentBits)
  .filter((bit) => typeof bit === 'number')
  .reduce((all, bit) => all | bit, 0);

/** Why an IDENTIFY is refused, as a close code; `undefined` when it is taken. */
export function identifyRefusal(
  options: { readonly isToken: (token: string) => boolean; readonly allowedIntents: number },
  request: Identify,
): GatewayCloseCodes | undefined {
  const { intents, shard } = request;
  if (!options.isToken(request.token)) return GatewayCloseCodes.AuthenticationFailed;
  if (shard !== undefined && shard[0] >= shard[1]) return GatewayCloseCodes.InvalidShard;
  if ((intents & ~allIntents) !== 0) return GatewayCloseCodes.InvalidIntents;
  if ((intents & privileged & ~options.allowedIntents) !== 0) {
    return GatewayCloseCodes.DisallowedIntents;
  }
  return undefined;
}
