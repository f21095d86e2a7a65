import { randomUUID } from 'node:crypto';
import type { Installation, User, Workspace } from './records.ts';
import type { World } from './world.ts';

/** What a person allowed, until the app exchanges it for a token. */
export interface Grant {
  readonly user: User;
  readonly scopes: readonly string[];
}

/** Puts the app into a workspace, with a bot user and a new token. */
export function install(
  world: World,
  workspace: Workspace,
  scopes: readonly string[] = world.app.scopes,
): Installation {
  const { state, nextId, app } = world;
  const before = state.installations.get(workspace.id);
  const installation: Installation = {
    teamId: workspace.id,
    botToken: `xoxb-${workspace.id}-${randomUUID()}`,
    botUserId: before?.botUserId ?? nextId('U'),
    botId: before?.botId ?? nextId('B'),
    scopes: new Set(scopes),
    isRevoked: false,
  };
  state.installations.set(workspace.id, installation);
  state.users.set(installation.botUserId, {
    id: installation.botUserId,
    teamId: workspace.id,
    name: app.name.toLowerCase(),
    realName: app.name,
    isBot: true,
    isAdmin: false,
    isOwner: false,
    isDeleted: false,
  });
  return installation;
}

/** Takes the app out of a workspace: its token is no longer good, and it is told so. */
export async function uninstall(world: World, workspace: Workspace): Promise<void> {
  const { events } = world;
  const installation = withdraw(world, workspace);
  const { id: teamId } = workspace;
  const tokens = { oauth: [], bot: [installation.botUserId] };
  await Promise.all([
    events.tell({
      teamId,
      subscription: 'tokens_revoked',
      event: { type: 'tokens_revoked', tokens },
    }),
    events.tell({ teamId, subscription: 'app_uninstalled', event: { type: 'app_uninstalled' } }),
  ]);
}

/** The same while the app does not listen: by the time it does, Slack has given up telling it. */
export function withdraw({ state }: World, workspace: Workspace): Installation {
  const installation = state.installations.get(workspace.id);
  if (installation === undefined) throw new Error(`The app is not in ${workspace.name}.`);
  state.installations.set(workspace.id, { ...installation, isRevoked: true });
  return installation;
}
