import type { Json } from './records.ts';
import type { View } from './views.ts';
import type { World } from './world.ts';

/** A view on the wire. Its state is what stands in its fields. */
export function viewWire(world: World, view: View, values: Json = {}): Json {
  const { callback_id, private_metadata, ...definition } = view.definition;
  return {
    ...definition,
    id: view.id,
    team_id: view.user.teamId,
    app_id: world.app.id,
    app_installed_team_id: view.user.teamId,
    bot_id: world.state.installations.get(view.user.teamId)?.botId,
    blocks: view.blocks,
    callback_id: callback_id ?? '',
    private_metadata: private_metadata ?? '',
    external_id: view.externalId ?? '',
    root_view_id: view.rootId,
    previous_view_id: view.previousId ?? null,
    hash: view.hash,
    state: { values },
  };
}
