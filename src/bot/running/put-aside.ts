/** Tells people of a turn that could not be run. */

import type { TurnEvent } from '../../council/events.ts';
import { readPastTurn } from '../../council/past-turn.ts';
import type { Platform } from '../../platforms/platform.ts';
import type { QueuedTurn } from '../../queue/queue.ts';
import type { TurnStore } from '../../store/store.ts';
import { type ChannelsOptions, readChannel } from '../places/channels.ts';
import { presentedTurn } from './presented-turn.ts';

export interface PutAsideOptions extends ChannelsOptions {
  readonly store: ChannelsOptions['store'] & { readonly turns: TurnStore };
  readonly platforms: readonly Platform[];
}

/** Throws what the platform or the store throws. */
export async function tellPutAside(queued: QueuedTurn, options: PutAsideOptions): Promise<void> {
  const { platforms, store } = options;
  const platform = platforms.find(({ name }) => queued.threadId.startsWith(`${name}:`));
  const record = platform && (await store.turns.read(queued));
  if (!record) return;
  const { channel } = await readChannel(options, queued.threadId);
  const turn = presentedTurn(store.turns, record, readPastTurn(record), channel.settings);
  const { signal } = new AbortController();
  await platform.present({ ...turn, isResumed: true }, putAside(), signal);
}

/** The end of a turn that could not be run, as people are shown it. */
async function* putAside(): AsyncGenerator<TurnEvent> {
  const explanation =
    'The council could not take this question up, though it was tried again and again. Whoever runs it has been told.';
  yield { type: 'ended', end: { outcome: 'failed', explanation } };
}
