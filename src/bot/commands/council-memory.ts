/** What is remembered in a place, for one person there to see and correct. */

import { CommandError } from '../../../commands/command.ts';
import type { CouncilMemory } from '../../../commands/context.ts';
import { isSameChannel, partsOf } from '../../domain/thread-id.ts';
import { type Memory, memoryId } from '../../memory/memories.ts';
import { isGone, mostPins, type Pin, pinOf, pinSetting } from '../../memory/pins.ts';
import { byTime } from '../../memory/recall/retrieval/document.ts';
import { correctShard } from '../../memory/shards/keep-windows.ts';
import type { JsonObject } from '../../store/store.ts';
import type { BotParts } from '../parts.ts';
import { type Here, writeSettings } from '../places/channels.ts';
import { toForget } from './forget-verb.ts';
import { PlaceMemory, type PlaceMemoryParts, shortened } from './place-memory.ts';
import { assertManager } from './rights.ts';

/** How long a correction waits for a summary that is being made, in milliseconds. */
const lockWaitMs = 10_000;

const changedMeanwhile =
  'That summary was made anew or forgotten in this moment. Look at what there is now, and correct that.';

export function councilMemoryFor(
  here: Here,
  parts: PlaceMemoryParts & Pick<BotParts, 'log' | 'now'>,
): CouncilMemory {
  const { place, person, channel } = here;
  const { store, memory, log } = parts;
  const { recollection, limits, lock } = memory;
  const { settings, pins, scopes } = channel;
  const remembered = new PlaceMemory(here, parts);
  const { reach } = remembered;

  async function findOwn(id: string): Promise<Memory> {
    const found = await remembered.find(id);
    if (!isSameChannel(found.threadId, place.threadId)) {
      throw new CommandError('That was said in another channel. It can be changed there alone.');
    }
    return found;
  }

  /** Finds again what was there before the wait for the lock. */
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

  const writePins = (changes: JsonObject) => writeSettings(here, parts, scopes.channel, changes);

  /** Removes pins of what is gone; what can't be seen from here is not gone. */
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
      const isNamed = isThread && thread !== undefined;
      const threadId = isNamed ? await remembered.threadOf(thread) : place.threadId;
      const all = await recollection.all(remembered.scope(reach, threadId));
      const page = all.toSorted((one, other) => byTime(other, one)).slice(skip, skip + count);
      const summaries = all.filter(({ kind }) => kind === 'shard').length;
      return {
        ...{ items: await remembered.shown(page), summaries, messages: all.length - summaries },
        ...(isThread && { thread: partsOf(threadId).thread }),
      };
    },
    async search(text, count) {
      const { language } = settings;
      const search = await recollection.open({ ...remembered.scope(), text, language });
      return remembered.shown(search(count, () => false));
    },
    one: async (id) => remembered.one(await remembered.find(id)),
    async correct(id, text) {
      assertManager(person, 'correct what is remembered here');
      const { threadId: thread, kind } = await findOwn(id);
      if (kind === 'message') {
        throw new CommandError('A message stays as it was said. Only summaries can be corrected.');
      }
      return locked(thread, async () => {
        const corrected = await correctShard(store.memories, await stillThere(id), text);
        if (!corrected) throw new CommandError(changedMeanwhile);
        log.info({ threadId: thread, person: person.id }, 'summary corrected');
        return remembered.one(await remembered.find(memoryId(corrected)));
      });
    },
    async pin(id) {
      assertManager(person, 'pin what is remembered here');
      const found = await remembered.find(id);
      const pinned = await remembered.pinned();
      const isPinned = [...pinned.values()].some(({ key }) => key === found.key);
      const kept = isPinned ? pins : await clearGonePins(pinned);
      if (!isPinned && kept.length >= mostPins) {
        throw new CommandError(
          `${mostPins} memories are pinned here, which is as many as there may be. Unpin one first.`,
        );
      }
      if (!isPinned) await writePins({ [pinSetting(found)]: pinOf(found) });
      const item = await remembered.one(found);
      return { ...item, marks: [...new Set([...item.marks, 'pinned'])] };
    },
    async unpin(id) {
      assertManager(person, 'unpin what is remembered here');
      const wanted = id.trim().toLowerCase();
      const pinned = await remembered.pinned();
      const meant = pins.filter((pin) =>
        [pin, pinned.get(pin)].some((known) => known && memoryId(known) === wanted),
      );
      if (meant.length === 0) {
        throw new CommandError(`Nothing with the id “${shortened(id)}” is pinned here.`);
      }
      await writePins(Object.fromEntries(meant.map((pin) => [pinSetting(pin), null])));
    },
    async toForget(target, isConfirmed) {
      const wanted = await toForget(target, isConfirmed, here, parts, remembered);
      return {
        ...wanted,
        async forget() {
          const gone = await wanted.forget();
          log.info({ target: target.kind, person: person.id, ...gone }, 'forgotten as was asked');
          await clearGonePins(await remembered.pinned());
        },
      };
    },
  };
}
