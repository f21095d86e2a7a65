import { Refusal } from '../api/refusal.ts';
import { withIds } from './block-ids.ts';
import type { Json, User } from './records.ts';
import { allViews, modalsOf, replaceView, type View } from './views.ts';
import type { World } from './world.ts';

/** A view as the app describes it, checked. */
export interface ViewDefinition {
  readonly type: 'modal' | 'home';
  readonly blocks: readonly Json[];
  readonly external_id?: string | undefined;
}

/** How many modals lie on each other. */
const maxStack = 3;

/** Opens a first modal; one that was open is gone. */
export function openModal(world: World, user: User, definition: ViewDefinition): View {
  const view = newView(world, user, definition, undefined);
  world.views.modals.set(user.id, [view]);
  return view;
}

/** Puts a modal on top of the others. */
export function pushModal(world: World, user: User, definition: ViewDefinition): View {
  const stack = modalsOf(world.views, user.id);
  const top = stack.at(-1);
  if (top === undefined) throw new Refusal('not_found');
  if (stack.length >= maxStack) throw new Refusal('push_limit_reached');
  const view = newView(world, user, definition, top);
  world.views.modals.set(user.id, [...stack, view]);
  return view;
}

export function publishHome(world: World, user: User, definition: ViewDefinition): View {
  const view = newView(world, user, definition, undefined);
  world.views.homes.set(user.id, view);
  return view;
}

/** Shows something else in an open view. */
export function updateView(
  world: World,
  which: { readonly id?: string | undefined; readonly externalId?: string | undefined },
  definition: ViewDefinition,
  hash: string | undefined,
): View {
  const view = allViews(world.views).find(
    ({ id, externalId }) =>
      id === which.id || (externalId !== undefined && externalId === which.externalId),
  );
  if (view === undefined) throw new Refusal('not_found');
  if (hash !== undefined && hash !== view.hash) throw new Refusal('hash_conflict');
  const updated = { ...newView(world, view.user, definition, undefined), ...placeOf(view) };
  replaceView(world.views, updated);
  return updated;
}

function placeOf({ id, rootId, previousId }: View) {
  return { id, rootId, previousId };
}

function newView(
  world: World,
  user: User,
  definition: ViewDefinition,
  below: View | undefined,
): View {
  const { external_id: externalId } = definition;
  const isTaken = allViews(world.views).some((view) => view.externalId === externalId);
  if (externalId !== undefined && isTaken) throw new Refusal('duplicate_external_id');
  const id = world.nextId('V');
  return {
    id,
    user,
    type: definition.type,
    rootId: below?.rootId ?? id,
    previousId: below?.id,
    hash: `${Math.floor(world.clock.now() / 1000)}.${id}`,
    externalId,
    definition: { ...definition },
    blocks: withIds(definition.blocks),
  };
}
