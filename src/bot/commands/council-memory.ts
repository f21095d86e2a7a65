/** Shows, corrects, pins and forgets memories for a person in a place. */

import { CommandError, UnknownIdError } from '../../../commands/command.ts';
import type { CouncilMemory, ForgetTarget } from '../../../commands/context.ts';
import { readPastTurn } from '../../council/past-turn.ts';
import { channelOf, isSameChannel, partsOf, workspaceOf } from '../../domain/thread-id.ts';
import { type ForgetSubject, workspaceOfSubject } from '../../memory/forgetting/notes.ts';
import { type Memory, memoryId } from '../../memory/memories.ts';
import { maxPins, type Pin, pinLimit, pinOf, pinSetting } from '../../memory/pins.ts';
import { byTime } from '../../memory/recall/retrieval/threads.ts';
import { correctShard } from '../../memory/shards/keep-windows.ts';
import { quotedValue } from '../../settings/channel-settings.ts';
import type { JsonObject, SettingsLimit } from '../../store/store.ts';
import type { BotParts } from '../parts.ts';
import { type Here, writeSettings } from '../places/channels.ts';
import { turnIn } from '../places/turns-of-place.ts';
import { placeMemory } from './place-memory.ts';
import { assertManager, assertManagerOf, assertRested, mayManageTurn } from './rights.ts';

/** How long a correction waits for a summary in progress, in milliseconds. */
const lockWaitMs = 10_000;

const changedMeanwhile =
  'That summary was just replaced or forgotten. Show it again, and correct what is there now.';

export function councilMemoryFor(here: Here, parts: BotParts): CouncilMemory {
  const { place, person, channel } = here;
  const { store, memory, log } = parts;
  const { recollection, limits, lock } = memory;
  const { settings, pins, scopes } = channel;
  const remembered = placeMemory(here, parts);
  const { reach } = remembered;

  async function findInChannel(id: string): Promise<Memory> {
    const found = await remembered.find(id);
    if (!isSameChannel(found.threadId, place.threadId)) {
      throw new CommandError('That was said in another channel. It can be changed there alone.');
    }
    return found;
  }

  /** @returns The function that unlocks the thread's summaries. */
  async function lockFor(thread: string): Promise<() => void> {
    const signal = AbortSignal.timeout(lockWaitMs);
    return lock(thread, signal).catch((cause: unknown) => {
      if (!signal.aborted) throw cause;
      throw new CommandError(
        'That conversation is being summed up right now. Try again in a minute.',
        { cause },
      );
    });
  }

  const writePins = (changes: JsonObject, limit?: SettingsLimit) =>
    writeSettings(here, parts, scopes.channel, changes, undefined, limit);

  /** Removes the pins of deleted memories, but not of those that are only hidden here. */
  async function clearGonePins(found: ReadonlyMap<Pin, Memory>): Promise<void> {
    const gone: Pin[] = [];
    for (const pin of pins.filter((candidate) => !found.has(candidate))) {
      const scope = { threadId: pin.threadId, reach: 'thread' } as const;
      const own = await recollection.pinned({ scope }, [pin], store.messages);
      // From what is left of a partly forgotten summary, another one is made.
      const isLeft = ({ kind, id }: Memory) => kind === 'message' && pin.sourceIds.includes(id);
      if (own.size === 0 && !(await recollection.all({ scope })).some(isLeft)) gone.push(pin);
    }
    if (gone.length > 0) {
      await writePins(Object.fromEntries(gone.map((pin) => [pinSetting(pin), null])));
    }
  }

  async function subjectOf(target: ForgetTarget): Promise<ForgetSubject> {
    switch (target.kind) {
      case 'person': {
        const { id: personId = person.id } = target;
        if (personId !== person.id) {
          assertManagerOf('server', person, 'have forgotten what another person has asked');
        }
        return { kind: 'person', workspace: workspaceOf(place.threadId), personId };
      }
      case 'thread':
        assertManager(person, 'have a whole thread forgotten');
        return {
          kind: 'thread',
          threadId:
            target.thread === undefined ? place.threadId : await remembered.threadOf(target.thread),
        };
      case 'channel':
        assertManager(person, 'have all of it forgotten');
        return { kind: 'channel', channel: channelOf(place.threadId) };
      case 'turn': {
        const turn = await turnIn(store.turns, place, target.id);
        if (!turn) {
          const unknown = `There is no turn ${quotedValue(target.id)} in this channel.`;
          throw new UnknownIdError('turn', unknown);
        }
        if (!mayManageTurn(person, readPastTurn(turn).request))
          assertManager(person, othersQuestions);
        const { turnId, threadId } = turn;
        return { kind: 'turn', turnId, threadId };
      }
      case 'one': {
        const found = await remembered.find(target.id);
        await assertMayForget(found);
        return subjectOfMemory(found);
      }
    }
  }

  /** People may forget their own questions wherever they see them, and managers everything in this channel. */
  async function assertMayForget(found: Memory): Promise<void> {
    const isHere = isSameChannel(found.threadId, place.threadId);
    const messages = await remembered.messagesOf(found);
    const turns = await remembered.turnsOf(messages);
    const areTheirs = messages.every(
      ({ turnId = '' }) => turns.get(turnId)?.request.author.id === person.id,
    );
    const isAllKnown = found.kind === 'message' || messages.length === found.sourceIds.length;
    if (areTheirs && isAllKnown) return;
    if (!isHere) {
      throw new CommandError('That was said in another channel. It can be forgotten there.');
    }
    assertManager(person, othersQuestions);
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
        items: await remembered.shown(page),
        summaries,
        messages: all.length - summaries,
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
      const { threadId: thread, kind } = await findInChannel(id);
      if (kind === 'message') {
        throw new CommandError('A message stays as it was said. Only summaries can be corrected.');
      }
      using locked = new DisposableStack();
      locked.defer(await lockFor(thread));
      const corrected = await correctShard(store.memories, await findInChannel(id), text);
      if (!corrected) throw new CommandError(changedMeanwhile);
      log.info({ threadId: thread, person: person.id }, 'summary corrected');
      return remembered.one(await remembered.find(memoryId(corrected)));
    },
    async pin(id) {
      assertManager(person, 'pin what is remembered here');
      const found = await remembered.find(id);
      const pinned = await remembered.pinned();
      const isPinned = [...pinned.values()].some(({ key }) => key === found.key);
      if (!isPinned) await clearGonePins(pinned);
      if (!isPinned && !(await writePins({ [pinSetting(found)]: pinOf(found) }, pinLimit))) {
        throw new CommandError(
          `${maxPins} memories are pinned here, which is the limit. Unpin one first: memory unpin lists them.`,
        );
      }
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
        const unknown = `Nothing with the id ${quotedValue(wanted)} is pinned here.`;
        throw new UnknownIdError('memory', unknown);
      }
      await writePins(Object.fromEntries(meant.map((pin) => [pinSetting(pin), null])));
    },
    async toForget(target, isConfirmed) {
      const { forgetting } = memory;
      const subject = await subjectOf(target);
      const claim = ['forget', workspaceOfSubject(subject), person.id, subject.kind, isConfirmed];
      const isLarge = subject.kind === 'person' || subject.kind === 'channel';
      if (isLarge) await assertRested(store, claim);
      const preview = await forgetting.preview(subject);
      const link = subject.kind === 'thread' ? remembered.linkTo(subject.threadId) : undefined;
      return {
        ...preview,
        isSummary: subject.kind === 'shard',
        ...(link !== undefined && { link }),
        ...(subject.kind === 'thread' && { thread: partsOf(subject.threadId).thread }),
        async forget() {
          // Once started, it is finished in the background, if necessary by another process.
          const report = await forgetting.forget(subject, new AbortController().signal);
          log.info({ target: target.kind, person: person.id, ...report }, 'forgotten as was asked');
          await clearGonePins(await remembered.pinned());
        },
      };
    },
  };
}

function subjectOfMemory({ kind, threadId, id, turnId }: Memory): ForgetSubject {
  if (kind === 'shard') return { kind, threadId, shardId: id };
  return turnId === undefined
    ? { kind, threadId, messageId: id }
    : { kind: 'turn', threadId, turnId };
}

const othersQuestions =
  'have forgotten what others have asked; your own go with memory forget mine';
