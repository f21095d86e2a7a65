/** Forgets what the bot stores besides turns and messages. */

import { partsOf, workspaceOf } from '../../domain/thread-id.ts';
import type { TurnRequest } from '../../domain/turn.ts';
import type { ForgetBatch } from '../../memory/forgetting/batches.ts';
import type { RelatedData } from '../../memory/forgetting/forget.ts';
import { requestWithout } from '../../memory/forgetting/heard.ts';
import {
  coversThread,
  type ForgetSubject,
  workspaceOfSubject,
} from '../../memory/forgetting/notes.ts';
import { pinsIn, pinsWithout } from '../../memory/pins.ts';
import { Notes, type Store, type TurnKey, type TurnRecord } from '../../store/store.ts';
import { KeptQuestions } from '../asking/kept-questions.ts';
import { channelIdsScope, directoryOf, draftScopeOf, settingScopesOf } from '../places/channels.ts';
import { personScope } from '../places/personal-settings.ts';
import { recentScope } from '../places/turns-of-place.ts';

export interface ForgottenTracesOptions {
  readonly store: Pick<Store, 'settings' | 'claim' | 'turns'>;
  /** Empties the posts of a turn, see `Platform.retract`. Never throws. */
  readonly retract: (turn: TurnRecord) => Promise<void>;
  /** Withdraws the public link to a turn, if there is one; else the link would work again after an import of the turn. */
  readonly unshare: (turn: TurnKey) => Promise<void>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Claims and the times of questions stay until they expire within an hour. They contain only ids, and without
 * them a repeated delivery of a question would be answered and paid for again. A channel's settings and custom
 * sages are only deleted with the whole workspace.
 */
export function forgottenTraces({
  store,
  retract,
  unshare,
  now,
}: ForgottenTracesOptions): RelatedData {
  const { settings } = store;
  const kept = new KeptQuestions({ store, now });

  /** Also for settings, which are deleted like notes. */
  const notesIn = (scope: string) => new Notes(settings, scope, { now });

  async function clearChannel(channel: string): Promise<void> {
    await notesIn(channel).clear();
    await notesIn(draftScopeOf(channel)).clear();
  }

  async function dropRecents({ threadId, turns }: ForgetBatch): Promise<void> {
    const byAsker = Map.groupBy(turns, ({ askedBy }) => askedBy);
    for (const [asker, theirs] of byAsker) {
      if (asker === undefined) continue;
      const recents = notesIn(recentScope(partsOf(threadId), asker));
      await recents.drop(theirs.map(({ turnId }) => turnId));
    }
  }

  /** Only in the channel of the messages. Other channels ignore pins of deleted memories. */
  async function dropPins({ threadId, turns, messageIds }: ForgetBatch): Promise<void> {
    const { channel } = settingScopesOf(threadId);
    const [ofChannel = {}] = await settings.read([channel]);
    const pins = pinsIn(ofChannel);
    if (pins.every((pin) => pin.threadId !== threadId)) return;
    const records = await Promise.all(turns.map((turn) => store.turns.read(turn)));
    const ofTurns = records.flatMap((record) => record?.messages ?? []).map(({ id }) => id);
    const changes = pinsWithout(pins, threadId, new Set([...messageIds, ...ofTurns]));
    // With the original times, which order the pins.
    for (const [name, value] of Object.entries(changes)) {
      const pinnedAt = ofChannel[name]?.setAt ?? now();
      await new Notes(settings, channel, { now: () => pinnedAt }).put({ [name]: value });
    }
  }

  /** Of a deleted thread, only the post it was attached to is left, which belongs to its first turn. */
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
      await dropRecents(batch);
      await dropPins(batch);
      await Promise.all(batch.turns.map(unshare));
      const scopes = settingScopesOf(threadId);
      if (subject.kind === 'person') {
        await notesIn(draftScopeOf(scopes.channel)).drop([subject.personId]);
      }
      if (subject.kind === 'workspace') await clearChannel(scopes.channel);
    },
    async afterSubject(subject) {
      const { platform } = partsOf(workspaceOfSubject(subject));
      await kept.revise(platform, (question) =>
        isMeant(question, subject) ? undefined : requestWithout(question, subject),
      );
      // Scopes are made from a channel. This one does not exist.
      const scopes = settingScopesOf(`${workspaceOfSubject(subject)}::`);
      const directory = directoryOf(settings, scopes, now);
      if (subject.kind === 'person') {
        const scope = personScope(subject.workspace, subject.personId);
        await notesIn(scope).clear();
        await directory.drop([scope]);
      }
      if (subject.kind !== 'workspace') return;
      for (const scope of (await directory.list()).keys()) await clearChannel(scope);
      await directory.clear();
      await notesIn(scopes.server).clear();
      await notesIn(channelIdsScope(subject.workspace)).clear();
    },
  };
}

/** Whether a question that has no turn yet is forgotten, too. */
function isMeant({ threadId, turnId, author }: TurnRequest, subject: ForgetSubject): boolean {
  if (subject.kind === 'turn') return turnId === subject.turnId;
  if (subject.kind !== 'person') return coversThread(subject, threadId);
  return workspaceOf(threadId) === subject.workspace && author.id === subject.personId;
}
