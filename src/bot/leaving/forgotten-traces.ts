/** What the bot keeps beside turns and messages, and lets go with them. */

import type { TurnRequest } from '../../council/council.ts';
import { channelOf, partsOf, workspaceOf } from '../../domain/thread-id.ts';
import {
  type ForgetPortion,
  type ForgetSubject,
  type Traces,
  workspaceOfSubject,
} from '../../memory/forgetting/forget.ts';
import { pinsIn, pinsWithout } from '../../memory/pins.ts';
import { dropCompacted } from '../../memory/recall/compaction.ts';
import { Notes, type Store, type TurnRecord } from '../../store/store.ts';
import { KeptQuestions } from '../asking/kept-questions.ts';
import { recentScope } from '../asking/recent-questions.ts';
import { directoryOf, draftScopeOf, settingScopesOf } from '../places/channels.ts';
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
 * Claims, and when somebody asked, stay until they expire, an hour at the most: they hold ids alone,
 * and without them a question that is delivered again would be a new one, and its budget as well. What
 * a channel is set to, its custom sages included, goes with the whole workspace only.
 */
export function forgottenTraces({
  store,
  compacted,
  retract,
  now,
}: ForgottenTracesOptions): Traces {
  const { settings } = store;
  const kept = new KeptQuestions({ store, now });

  /** Also what people set, which goes as notes do. */
  const notesIn = (scope: string) => new Notes(settings, scope, { now });

  async function clearChannel(channel: string): Promise<void> {
    await notesIn(channel).clear();
    await notesIn(draftScopeOf({ channel })).clear();
  }

  async function dropRecents({ threadId, turns }: ForgetPortion): Promise<void> {
    const byAsker = Map.groupBy(turns, ({ askedBy }) => askedBy);
    for (const [asker, theirs] of byAsker) {
      if (asker === undefined) continue;
      const recents = notesIn(recentScope(partsOf(threadId), asker));
      await recents.drop(theirs.map(({ turnId }) => turnId));
    }
  }

  /** Those of the channel where it was said; elsewhere a pin of what is gone is passed over. */
  async function dropPins({ threadId, turns, messageIds }: ForgetPortion): Promise<void> {
    const { channel } = settingScopesOf(threadId);
    const [ofChannel = {}] = await settings.read([channel]);
    const pins = pinsIn(ofChannel);
    if (pins.every((pin) => pin.threadId !== threadId)) return;
    const records = await Promise.all(turns.map((turn) => store.turns.read(turn)));
    const ofTurns = records.flatMap((record) => record?.messages ?? []).map(({ id }) => id);
    const changes = pinsWithout(pins, threadId, new Set([...messageIds, ...ofTurns]));
    // The order in which they were pinned stays.
    for (const [name, value] of Object.entries(changes)) {
      const pinnedAt = ofChannel[name]?.setAt ?? now();
      await new Notes(settings, channel, { now: () => pinnedAt }).put({ [name]: value });
    }
  }

  /** All that is left of a deleted thread is what it hung on, which is its first turn's. */
  async function retractShown({ turns }: ForgetPortion, subject: ForgetSubject): Promise<void> {
    if (!('isTakenBack' in subject)) return;
    const shown = subject.kind === 'thread' ? turns.slice(-1) : turns;
    for (const turn of shown) {
      const record = await store.turns.read(turn);
      if (record) await retract(record);
    }
  }

  return {
    async ofPortion(portion, subject) {
      const { threadId } = portion;
      await retractShown(portion, subject);
      dropCompacted(compacted, threadId);
      await dropRecents(portion);
      await dropPins(portion);
      const scopes = settingScopesOf(threadId);
      if (subject.kind === 'person') await notesIn(draftScopeOf(scopes)).drop([subject.personId]);
      if (subject.kind === 'workspace') await clearChannel(scopes.channel);
    },
    async ofSubject(subject) {
      const { platform } = partsOf(workspaceOfSubject(subject));
      await kept.drop(platform, (question) => isMeant(question, subject));
      if (subject.kind !== 'workspace') return;
      // Those of a channel that there is not.
      const scopes = settingScopesOf(`${subject.workspace}::`);
      const directory = directoryOf(settings, scopes, now);
      for (const channel of (await directory.list()).keys()) await clearChannel(channel);
      await directory.clear();
      await notesIn(scopes.server).clear();
    },
  };
}

/** Whether a question that was taken, but is no turn yet, is part of what is forgotten. */
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
      return false;
  }
}
