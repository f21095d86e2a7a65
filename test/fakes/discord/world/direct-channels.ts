import type { APIUser } from 'discord-api-types/v10';
import type { DirectChannel } from './records.ts';
import type { World } from './world.ts';

/** The bot's direct messages with a user, opened when there are none yet. */
export function directChannel(world: World, recipient: APIUser): DirectChannel {
  const known = [...world.state.channels.values()]
    .filter((channel) => channel.kind === 'direct')
    .find((channel) => channel.recipient.id === recipient.id);
  if (known !== undefined) return known;
  const opened: DirectChannel = { kind: 'direct', id: world.nextId(), recipient };
  world.state.channels.set(opened.id, opened);
  return opened;
}
