/** A store without what is being forgotten, as all readers see it except the code that forgets. */

import type { Interaction, Store, TurnRecord } from '../../store/store.ts';
import { pagesOf } from '../pages.ts';
import { recordWithout } from './heard.ts';
import type { Hidden, PendingForgetting } from './pending.ts';

/**
 * Wraps a store of any backend. Nothing is asked for besides most of the time, and as long as nothing is
 * being forgotten all is given as it is. `memories` are as they are: they are held in process, and what
 * is hidden of them is left out where they are looked into, see `Recollection`.
 */
export function visibleStore(store: Store, pending: PendingForgetting): Store {
  const { turns, messages, settings } = store;

  /** Asks for both at the same time. */
  async function visible<Result>(
    read: Promise<Result>,
    without: (result: Result, hidden: Hidden) => Result | Promise<Result>,
  ): Promise<Result> {
    const [result, hidden] = await Promise.all([read, pending.read()]);
    return hidden ? without(result, hidden) : result;
  }

  const turnUnless = (turn: TurnRecord | undefined, hidden: Hidden) =>
    turn && !hidden.isTurn(turn)
      ? recordWithout(turn, (message, place) => hidden.isHeardGone(message, place))
      : undefined;

  return {
    ...store,
    turns: {
      ...turns,
      take: (key) => visible(turns.take(key), turnUnless),
      read: (key) => visible(turns.read(key), turnUnless),
      list: (threadId, options) =>
        visible(turns.list(threadId, options), (_, hidden) =>
          page(
            options,
            (one) => turns.list(threadId, one),
            ({ turnId }) => turnId,
            (turn) => !hidden.isTurn(turn),
          ),
        ),
      steps: (place, options) =>
        visible(turns.steps(place, options), (page, hidden) => ({
          ...page,
          turns: page.turns.filter((turn) => !hidden.isTurn(turn)),
        })),
    },
    messages: {
      ...messages,
      recent: (threadId, options) =>
        visible(messages.recent(threadId, options), (found, hidden) =>
          found.flatMap((one) => interactionUnless(one, hidden)),
        ),
      page: (threadId, options) =>
        visible(messages.page(threadId, options), (_, hidden) =>
          page(
            options,
            (one) => messages.page(threadId, one),
            ({ id }) => id,
            (message) => !hidden.isMessage(message),
          ),
        ),
    },
    settings: {
      ...settings,
      async write(scope, changes, by) {
        pending.changed(scope);
        try {
          await settings.write(scope, changes, by);
        } finally {
          pending.changed(scope);
        }
      },
    },
  };
}

interface PageOptions {
  readonly limit: number;
  readonly before?: number;
}

/** As many as were asked for, even if some between them are hidden: readers take a short page for the last. */
async function page<Item extends { readonly createdAt: number }>(
  { limit, ...options }: PageOptions,
  read: (options: PageOptions) => Promise<readonly Item[]>,
  keyOf: (item: Item) => string,
  isVisible: (item: Item) => boolean,
): Promise<readonly Item[]> {
  const found: Item[] = [];
  for await (const fresh of pagesOf(limit, (next) => read({ ...options, ...next }), keyOf)) {
    found.push(...fresh.filter(isVisible));
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

function interactionUnless(one: Interaction, hidden: Hidden): readonly Interaction[] {
  if (hidden.isMessage(one.question)) return [];
  return [{ ...one, answers: one.answers.filter((answer) => !hidden.isMessage(answer)) }];
}
