/** Forgets what the bot keeps beside turns and messages. */

import { channelOf, partsOf, workspaceOf } from '../../domain/thread-id.ts';
import type { TurnRequest } from '../../domain/turn.ts';
import {
  type ForgetBatch,
  type ForgetSubject,
  type RelatedData,
  workspaceOfSubject,
} from '../../memory/forgetting/forget.ts';
import { requestWithout } from '../../memory/forgetting/heard.ts';
import { pinsIn, pinsWithout } from '../../memory/pins.ts';
import { Notes } from '../../store/notes.ts';
import type { Store, TurnRecord } from '../../store/store.ts';
import { KeptQuestions } from '../asking/kept-questions.ts';
import { directoryOf, draftScopeOf, settingScopesOf } from '../places/channels.ts';
import { personScope } from '../places/personal.ts';
import { recentScope } from '../places/turns-of-place.ts';
import type { TurnMemory } from '../running/turn-memory.ts';

export interface ForgottenTracesOptions {
  readonly store: Pick<Store, 'settings' | 'claim' | 'turns'>;
  readonly compacted: TurnMemory['compacted'];
  /** Empties what shows a turn, see `Platform.retract`. Never throws. */
  readonly retract: (turn: TurnRecord) => Promise<void>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Claims and the times of questions stay until they expire, within an hour: they hold ids alone, and
 * without them a question that is delivered again would be asked and paid for again. A channel's settings,
 * its custom sages included, go only with the whole workspace.
 */
export function forgottenTraces({
  store,
  compacted,
  retract,
  now,
}: ForgottenTracesOptions): RelatedData {
  const { settings } = store;
  const kept = new KeptQuestions({ store, now });

  /** People's settings are dropped as notes are. */
  const notesIn = (scope: string) => new Notes(settings, scope, { now });

  async function clearChannel(channel: string): Promise<void> {
    await notesIn(channel).clear();
    await notesIn(draftScopeOf({ channel })).clear();
  }

  async function dropRecents({ threadId, turns }: ForgetBatch): Promise<void> {
    const byAsker = Map.groupBy(turns, ({ askedBy }) => askedBy);
    for (const [asker, theirs] of byAsker) {
      if (asker === undefined) continue;
      const recents = notesIn(recentScope(partsOf(threadId), asker));
      await recents.drop(theirs.map(({ turnId }) => turnId));
    }
  }

  /** Only those of the channel where it was said; other channels ignore a pin of what is gone. */
  async function dropPins({ threadId, turns, messageIds }: ForgetBatch): Promise<void> {
    const { channel } = settingScopesOf(threadId);
    const [ofChannel = {}] = await settings.read([channel]);
    const pins = pinsIn(ofChannel);
    if (pins.every((pin) => pin.threadId !== threadId)) return;
    const records = await Promise.all(turns.map((turn) => store.turns.read(turn)));
    const ofTurns = records.flatMap((record) => record?.messages ?? []).map(({ id }) => id);
    const changes = pinsWithout(pins, threadId, new Set([...messageIds, ...ofTurns]));
    // They keep the order in which they were pinned.
    for (const [name, value] of Object.entries(changes)) {
      const pinnedAt = ofChannel[name]?.setAt ?? now();
      await new Notes(settings, channel, { now: () => pinnedAt }).put({ [name]: value });
    }
  }

  /** Of a deleted thread only the post that it hung on is left, which is its first turn's. */
  async function retractShown({ turns }: ForgetBatch, subject: ForgetSubject): Promise<void> {
    if (!('isTakenBack' in subject)) return;
    const shown = subject.kind === 'thread' ? turns.slice(-1) : turns;
    for (const turn of shown) {
      const record = await store.turns.read(turn);
      if (record) await retract(record);
    }
  }

  return {
    async beforeBatch(batch, subject) {
      const { threadId } = batch;
      await retractShown(batch, subject);
      compacted.delete(threadId);
      await dropRecents(batch);
      await dropPins(batch);
      const scopes = settingScopesOf(threadId);
      if (subject.kind === 'person') await notesIn(draftScopeOf(scopes)).drop([subject.personId]);
      if (subject.kind === 'workspace') await clearChannel(scopes.channel);
    },
    async afterSubject(subject) {
      const { platform } = partsOf(workspaceOfSubject(subject));
      await kept.revise(platform, (question) =>
        isMeant(question, subject) ? undefined : requestWithout(question, subject),
      );
      if (subject.kind === 'person') {
        await notesIn(personScope(subject.workspace, subject.personId)).clear();
      }
      if (subject.kind !== 'workspace') return;
      // A workspace has scopes only by way of a channel; this one does not exist.
      const scopes = settingScopesOf(`${subject.workspace}::`);
      const directory = directoryOf(settings, scopes, now);
      for (const channel of (await directory.list()).keys()) await clearChannel(channel);
      await directory.clear();
      await notesIn(scopes.server).clear();
    },
  };
}

/** Whether a question that is not a turn yet is part of what is forgotten. */
function isMeant({ threadId, turnId, author }: TurnRequest, subject: ForgetSubject): boolean {
  switch (subject.kind) {
    case 'turn':
      return turnId === subject.turnId;
    case 'person':
      return workspaceOf(threadId) === subject.workspace && author.id === subject.personId;
    case 'thread':
      return threadId === subject.threadId;
    case 'channel':
      return channelOf(threadId) === subject.channel;
    case 'workspace':
      return workspaceOf(threadId) === subject.workspace;
    case 'message':
    case 'shard':
    case 'post':
      return false;
  }
}
