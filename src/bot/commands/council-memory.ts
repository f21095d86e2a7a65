/** What is remembered in a place, to be seen and corrected by one person there. */

import { CommandError, type Person, type Place } from '../../../commands/command.ts';
import type { CouncilMemory, MemoryItem } from '../../../commands/council-memory.ts';
import type { Log } from '../../domain/log.ts';
import { isSameChannel, partsOf } from '../../domain/thread-id.ts';
import type { Memory } from '../../memory/memories.ts';
import { memoryId } from '../../memory/memory-id.ts';
import { isGone, mostPins, type Pin, pinOf, pinSetting } from '../../memory/pins.ts';
import { reachWhere } from '../../memory/reach.ts';
import { byTime } from '../../memory/recall/retrieval/document.ts';
import { correctShard } from '../../memory/shards/correct.ts';
import type { JsonObject, MemoryScope, Store } from '../../store/store.ts';
import { type Channel, writeSettings } from '../places/channels.ts';
import type { TurnMemory } from '../running/turn-memory.ts';
import { toForget } from './forget-verb.ts';
import { linkTo, type MemoryItemsOptions, memoryItems, messagesOf } from './memory-items.ts';

export interface CouncilMemoryOptions extends MemoryItemsOptions {
  readonly store: Pick<Store, 'turns' | 'memories' | 'settings' | 'claim'>;
  readonly memory: Pick<TurnMemory, 'limits' | 'recollection' | 'lock' | 'forgetting'>;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** So long a correction waits for a summary that is being made, in milliseconds. */
const lockWaitMs = 10_000;

const changedMeanwhile =
  'That summary was made anew or forgotten in this moment. Look at what there is now, and correct that.';

export function councilMemoryFor(
  {
    place,
    person,
    channel,
  }: {
    readonly place: Place;
    readonly person: Person;
    readonly channel: Channel;
  },
  options: CouncilMemoryOptions,
): CouncilMemory {
  const { store, memory, log, now } = options;
  const { recollection, limits, lock, forgetting } = memory;
  const { settings, pins, known, scopes } = channel;
  const reach = reachWhere(place.isOpenOutside === true, settings.memoryReach);
  const { threadId, isPrivate, isPrivateThread } = place;
  const here = (scope: MemoryScope['reach']) => ({
    ...{ scope: { threadId, reach: scope }, isPrivate, isPrivateThread },
  });
  // An id may come from wherever this channel's memory was shown.
  const wholeChannel = here(reach === 'thread' ? 'channel' : reach);

  async function shown(memories: readonly Memory[]): Promise<readonly MemoryItem[]> {
    const [all, pinned] = await Promise.all([
      recollection.all(wholeChannel),
      recollection.pinned(wholeChannel, pins),
    ]);
    const keys = new Set(Array.from(pinned.values(), ({ key }) => key));
    return memoryItems(memories, { all, pinned: keys, known }, options);
  }

  async function one(found: Memory): Promise<MemoryItem> {
    const [item] = await shown([found]);
    if (!item) throw new TypeError('A memory that was found is not shown.');
    return item;
  }

  /** Throws `CommandError` for what is not there, or not to be seen from here. */
  async function find(id: string): Promise<Memory> {
    const wanted = id.trim().toLowerCase();
    const all = await recollection.all(wholeChannel);
    const found = all.filter((candidate) => memoryId(candidate) === wanted);
    const [only] = found;
    if (!only || found.length > 1) throw new CommandError(notFound(id));
    return only;
  }

  /** A thread of this channel by what tells it apart, as far as something of it may be seen from here. */
  async function threadOf(lastPart: string): Promise<string> {
    if (lastPart === partsOf(threadId).thread) return threadId;
    const all = await recollection.all(here('channel'));
    const known = all.find(
      (memory) =>
        partsOf(memory.threadId).thread === lastPart &&
        isSameChannel(memory.threadId, place.threadId),
    );
    if (known) return known.threadId;
    throw new CommandError('There is no such thread here, or nothing is remembered of it.');
  }

  function assertManager(what: string): void {
    if (!person.isManager) {
      throw new CommandError(`Only those who may manage this channel can ${what}.`);
    }
  }

  async function findOwn(id: string): Promise<Memory> {
    const found = await find(id);
    if (!isSameChannel(found.threadId, place.threadId)) {
      throw new CommandError('That was said in another channel. It can be changed there alone.');
    }
    return found;
  }

  /** What was there before the lock was waited for. */
  async function stillThere(id: string): Promise<Memory> {
    return findOwn(id).catch((error: unknown) => {
      if (!(error instanceof CommandError)) throw error;
      throw new CommandError(changedMeanwhile, { cause: error });
    });
  }

  async function locked<Result>(thread: string, work: () => Promise<Result>): Promise<Result> {
    const signal = AbortSignal.timeout(lockWaitMs);
    const unlock = await lock(thread, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      throw new CommandError(
        'What was said there is being summed up at this moment. Try again in a minute.',
        { cause: error },
      );
    });
    try {
      return await work();
    } finally {
      unlock();
    }
  }

  function writePins(changes: JsonObject): Promise<void> {
    return writeSettings(store.settings, scopes.channel, changes, { channel, person, now });
  }

  /** Pins of what is gone count for nothing; one that cannot be seen from here is not gone. */
  async function clearGonePins(found: ReadonlyMap<Pin, Memory>): Promise<readonly Pin[]> {
    const gone: Pin[] = [];
    for (const pin of pins.filter((candidate) => !found.has(candidate))) {
      const scope = { threadId: pin.threadId, reach: 'thread' } as const;
      if (isGone(pin, await recollection.all({ scope }))) gone.push(pin);
    }
    if (gone.length > 0) {
      await writePins(Object.fromEntries(gone.map((pin) => [pinSetting(pin), null])));
    }
    return pins.filter((pin) => !gone.includes(pin));
  }

  return {
    isOn: settings.memory && limits.interactions > 0,
    reach,
    async newest({ skip, count, thread }) {
      const isThread = reach === 'thread';
      const shownId = isThread && thread !== undefined ? await threadOf(thread) : threadId;
      const all = await recollection.all({ ...here(reach), scope: { threadId: shownId, reach } });
      const page = all.toSorted((one, other) => byTime(other, one)).slice(skip, skip + count);
      const summaries = all.filter(({ kind }) => kind === 'shard').length;
      return {
        ...{ items: await shown(page), summaries, messages: all.length - summaries },
        ...(isThread && { thread: partsOf(shownId).thread }),
      };
    },
    async search(text, count) {
      const { language } = settings;
      const search = await recollection.open({ ...here(reach), text, language });
      return shown(search(count, () => false));
    },
    one: async (id) => one(await find(id)),
    async correct(id, text) {
      assertManager('correct what is remembered here');
      const { threadId: thread, kind } = await findOwn(id);
      if (kind === 'message') {
        throw new CommandError(
          'That is what somebody said, and stays as it was said. Only summaries can be corrected.',
        );
      }
      return locked(thread, async () => {
        const corrected = await correctShard(store.memories, await stillThere(id), text);
        if (!corrected) throw new CommandError(changedMeanwhile);
        log.info({ threadId: thread, person: person.id }, 'summary corrected');
        return one(await find(memoryId(corrected)));
      });
    },
    async pin(id) {
      assertManager('pin what is remembered here');
      const found = await find(id);
      const pinned = await recollection.pinned(wholeChannel, pins);
      const isPinned = [...pinned.values()].some(({ key }) => key === found.key);
      const kept = isPinned ? pins : await clearGonePins(pinned);
      if (!isPinned && kept.length >= mostPins) {
        throw new CommandError(
          `${mostPins} memories are pinned here, which is as many as there may be. Unpin one first.`,
        );
      }
      if (!isPinned) await writePins({ [pinSetting(found)]: pinOf(found) });
      const item = await one(found);
      return { ...item, marks: [...new Set([...item.marks, 'pinned'])] };
    },
    async unpin(id) {
      assertManager('unpin what is remembered here');
      const wanted = id.trim().toLowerCase();
      const pinned = await recollection.pinned(wholeChannel, pins);
      const meant = pins.filter((pin) =>
        [pin, pinned.get(pin)].some((known) => known && memoryId(known) === wanted),
      );
      if (meant.length === 0) {
        throw new CommandError(`Nothing with the id “${shortened(id)}” is pinned here.`);
      }
      await writePins(Object.fromEntries(meant.map((pin) => [pinSetting(pin), null])));
    },
    async toForget(target, isConfirmed) {
      const wanted = await toForget(target, isConfirmed, {
        ...{ place, person, store, forgetting, find, threadOf },
        linkTo: (thread) => linkTo(thread, undefined, options),
        sourcesOf: async (found) => messagesOf(found, await recollection.all(wholeChannel)),
      });
      return {
        ...wanted,
        async forget() {
          const gone = await wanted.forget();
          log.info({ target: target.kind, person: person.id, ...gone }, 'forgotten as was asked');
          await clearGonePins(await recollection.pinned(wholeChannel, pins));
        },
      };
    },
  };
}

/** The same for what never was, for what is gone, and for what is not to be seen from here. */
function notFound(id: string): string {
  return `Nothing with the id “${shortened(id)}” is remembered here. Without an id you see what is.`;
}

function shortened(id: string): string {
  return id.trim().slice(0, 40);
}
