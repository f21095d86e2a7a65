/** Stores records on a server as they are; one script for each, sent together. */

import { randomUUID } from 'node:crypto';
import type { Archive, ArchiveRecord, Standing } from '../../archive.ts';
import type { SettingsStore } from '../../store.ts';
import type { Clock } from '../clock.ts';
import type { Commands } from '../commands.ts';
import {
  claimKeys,
  eventKey,
  forgottenKey,
  spendingKey,
  spentKey,
  threadKey,
  threadsKey,
  turnKey,
  unfinishedKey,
} from '../keys.ts';
import { shardText, vectorText } from '../memory-records.ts';
import { messageValues, stepField, usageField, usageText } from '../records.ts';
import { scripts } from '../scripts.ts';
import { archiveScripts } from './archive-scripts.ts';

type Of<Kind extends ArchiveRecord['kind']> = Extract<ArchiveRecord, { kind: Kind }>;

export function archiveWriter(
  commands: Commands,
  clock: Clock,
  settings: SettingsStore,
): Archive['write'] {
  async function writeTurn({ turn, rank }: Of<'turn'>): Promise<unknown> {
    const { turnId, threadId, eventId, steps, usage } = turn;
    return commands.run(
      archiveScripts.restoreTurn,
      [threadKey(threadId), eventKey(eventId), turnKey(turnId), unfinishedKey, threadsKey],
      [
        ...[turnId, eventId, String(turn.createdAt), JSON.stringify(turn.request), placeOf(rank)],
        ...[turn.status, String(turn.attempt), turn.outcome ?? '', `${turn.endedAt ?? ''}`],
        turn.askedBy ?? '',
        ...[
          String(steps.length),
          ...steps.flatMap((one) => [stepField(one), JSON.stringify(one.data)]),
        ],
        ...usage.flatMap((event) => [usageField(event), usageText(event)]),
      ],
    );
  }

  async function writeMessage(record: Of<'message'>): Promise<unknown> {
    const { message, rank, isImported, shardId = '', standing, vector } = record;
    const [id, roleAndStatus, created, json] = messageValues(message);
    const imported = message.turnId === undefined ? 'i' : `x${message.turnId}`;
    const owner = isImported ? imported : `t${message.turnId}`;
    return commands.run(
      archiveScripts.restoreMessage,
      [threadKey(message.threadId), threadsKey],
      [
        ...[randomUUID(), id, owner, roleAndStatus, created, json, placeOf(rank), shardId],
        ...standingValues(standing),
        vector === undefined ? '' : vectorText(vector),
      ],
    );
  }

  async function writeShard({ shard, standing, vector }: Of<'shard'>): Promise<unknown> {
    const value = `${shard.supersededAt ?? '-'} ${shardText(shard)}`;
    return commands.run(
      archiveScripts.restoreShard,
      [threadKey(shard.threadId), threadsKey],
      [
        ...[randomUUID(), shard.id, value, String(shard.agesFrom), ...standingValues(standing)],
        vector === undefined ? '' : vectorText(vector),
        ...(shard.supersededAt === undefined ? [] : shard.sourceIds),
      ],
    );
  }

  async function writeOne(record: ArchiveRecord): Promise<unknown> {
    switch (record.kind) {
      case 'turn':
        return writeTurn(record);
      case 'message':
        return writeMessage(record);
      case 'shard':
        return writeShard(record);
      case 'setting': {
        const { scope, name, setting, expiresAt } = record;
        const { value, setBy, setAt } = setting;
        const by = { setBy, setAt, ...(expiresAt !== undefined && { expiresAt }) };
        return settings.write(scope, { [name]: value }, by);
      }
      case 'claim': {
        const { key, expiresAt } = record;
        const values = [String(clock.now()), randomUUID(), key, String(expiresAt)];
        return commands.run(scripts.claim, [...claimKeys], values);
      }
      case 'forgotten': {
        const { workspace, eventId, expiresAt } = record;
        const values = [eventId, String(expiresAt), String(expiresAt - clock.now())];
        return commands.run(archiveScripts.restoreForgotten, [forgottenKey(workspace)], values);
      }
      case 'spending': {
        const { scope, day, costUsd } = record;
        const values = [scope, String(day), String(costUsd)];
        return commands.run(archiveScripts.restoreSpending, [spentKey(scope), spendingKey], values);
      }
    }
  }

  return async (records) => {
    await Promise.all(records.map(writeOne));
  };
}

/** The number in a thread's order, of a fixed width. */
function placeOf(rank: number): string {
  return String(rank).padStart(15, '0');
}

function standingValues(standing: Standing | undefined): readonly string[] {
  if (standing === undefined) return ['', '', ''];
  const { change, isOpen, isChannelPrivate } = standing;
  return [String(change), isOpen ? '1' : '0', isChannelPrivate ? '1' : '0'];
}
