import { messageWire } from '../world/message-wire.ts';
import type { Channel, Json, Message, User } from '../world/records.ts';
import { known } from '../world/state.ts';
import type { World } from '../world/world.ts';

/** What all interactions have in common on the wire. */
export function interactionBase({ app, state }: World, user: User): Json {
  const { id, domain } = known(state.workspaces, user.teamId);
  return {
    api_app_id: app.id,
    token: 'verification-token',
    team: { id, domain },
    user: { id: user.id, username: user.name, name: user.name, team_id: user.teamId },
    enterprise: app.organisation === undefined ? null : { id: app.organisation, name: 'Polis' },
    is_enterprise_install: app.organisation !== undefined,
  };
}

export function channelWire({ id, name, kind }: Channel): Json {
  const names = {
    direct: 'directmessage',
    'group direct': 'mpdm',
    private: 'privategroup',
  } as const;
  return { id, name: kind === 'public' ? name : names[kind] };
}

/** A message in an interaction's payload. */
export function pressedMessage(world: World, message: Message): Json {
  return messageWire(world, message, true);
}

/** When something was done in the client, as interactions write it. */
export function actionTs({ clock }: World): string {
  return (clock.now() / 1000).toFixed(6);
}
