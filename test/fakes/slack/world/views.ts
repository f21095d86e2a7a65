import type { Json, User } from './records.ts';

/** A modal or a Home tab, as it is shown to one person. */
export interface View {
  readonly id: string;
  readonly user: User;
  readonly type: 'modal' | 'home';
  readonly rootId: string;
  readonly previousId: string | undefined;
  readonly hash: string;
  readonly externalId: string | undefined;
  /** As the app described it, with an id for every block and element. */
  readonly definition: Json;
  readonly blocks: readonly Json[];
}

/** What each person has before them. */
export interface Views {
  /** Open modals by person, the topmost last. */
  readonly modals: Map<string, readonly View[]>;
  readonly homes: Map<string, View>;
}

export function modalsOf({ modals }: Views, userId: string): readonly View[] {
  return modals.get(userId) ?? [];
}

/** Every open view. */
export function allViews({ modals, homes }: Views): readonly View[] {
  return [...[...modals.values()].flat(), ...homes.values()];
}

/** Puts a view in the place of the one with its id. */
export function replaceView(views: Views, view: View): void {
  if (view.type === 'home') {
    views.homes.set(view.user.id, view);
    return;
  }
  views.modals.set(
    view.user.id,
    modalsOf(views, view.user.id).map((open) => (open.id === view.id ? view : open)),
  );
}
