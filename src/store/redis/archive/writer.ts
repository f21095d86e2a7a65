/** Stores records on a server as they are; one script for each, sent together. */

import { randomUUID } from 'node:crypto';
import type { Archive, ArchiveRecord, Standing } from '../../archive.ts';
import type { SettingsStore } from '../../store.ts';
import type { Clock, Commands } from '../commands.ts';
import { claimsSlot, slotOfScope, slotOfThread, threadKey, workspaceKey } from '../keys.ts';
import {
  messageValues,
  shardText,
  stepField,
  usageField,
  usageText,
  vectorText,
} from '../records.ts';
import { scripts, storeScripts } from '../scripts.ts';
import type { Workspaces } from '../workspaces.ts';

const script = storeScripts('archive/restore');
const restore = {
  turn: script('turn'),
  message: script('message'),
  shard: script('shard'),
  forgotten: script('forgotten'),
  spending: script('spending'),
} as const;

type Of<Kind extends ArchiveRecord['kind']> = Extract<ArchiveRecord, { kind: Kind }>;

export function archiveWriter(
  commands: Commands,
  workspaces: Workspaces,
  settings: SettingsStore,
  clock: Clock,
): Archive['write'] {
  const listed = new Set<string>();

  /** Before the first record of a workspace: a copy that breaks off behind it is found as a whole. */
  async function enlist(records: readonly ArchiveRecord[]): Promise<void> {
    const slots = new Set(records.flatMap(listedSlotOf).filter((slot) => !listed.has(slot)));
    await Promise.all([...slots].map((slot) => workspaces.enlist(slot)));
    for (const slot of slots) listed.add(slot);
  }

  async function writeTurn({ turn, rank }: Of<'turn'>): Promise<unknown> {
    const { turnId, threadId, eventId, steps, usage } = turn;
    return commands.run(restore.turn, slotOfThread(threadId), [
      ...[turnId, eventId, String(turn.createdAt), JSON.stringify(turn.request), placeOf(rank)],
      ...[turn.status, String(turn.attempt), turn.outcome ?? '', `${turn.endedAt ?? ''}`],
      ...[threadKey(threadId), turn.askedBy ?? ''],
      ...[
        String(steps.length),
        ...steps.flatMap((one) => [stepField(one), JSON.stringify(one.data)]),
      ],
      ...usage.flatMap((event) => [usageField(event), usageText(event)]),
    ]);
  }

  async function writeMessage(record: Of<'message'>): Promise<unknown> {
    const { message, rank, isImported, shardId = '', standing, vector } = record;
    const [id, roleAndStatus, created, json] = messageValues(message);
    const imported = message.turnId === undefined ? 'i' : `x${message.turnId}`;
    const owner = isImported ? imported : `t${message.turnId}`;
    return commands.run(restore.message, slotOfThread(message.threadId), [
      ...[randomUUID(), id, owner, roleAndStatus, created, json, placeOf(rank), shardId],
      ...standingValues(standing),
      ...[vector === undefined ? '' : vectorText(vector), threadKey(message.threadId)],
    ]);
  }

  async function writeShard({ shard, standing, vector }: Of<'shard'>): Promise<unknown> {
    const value = `${shard.supersededAt ?? '-'} ${shardText(shard)}`;
    return commands.run(restore.shard, slotOfThread(shard.threadId), [
      ...[randomUUID(), shard.id, value, String(shard.agesFrom), ...standingValues(standing)],
      ...[vector === undefined ? '' : vectorText(vector), threadKey(shard.threadId)],
      ...(shard.supersededAt === undefined ? [] : shard.sourceIds),
    ]);
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
        return commands.run(scripts.claim, claimsSlot, values);
      }
      case 'forgotten': {
        const { workspace, eventId, expiresAt } = record;
        const values = [eventId, String(expiresAt), String(expiresAt - clock.now())];
        return commands.run(restore.forgotten, workspaceKey(workspace), values);
      }
      case 'spending': {
        const { scope, day, costUsd } = record;
        const values = [scope, String(day), String(costUsd)];
        return commands.run(restore.spending, slotOfScope(scope), values);
      }
    }
  }

  return async (records) => {
    await enlist(records);
    await Promise.all(records.map(writeOne));
  };
}

/** The workspace by which a record is found; others are not found by theirs. */
function listedSlotOf(record: ArchiveRecord): readonly string[] {
  switch (record.kind) {
    case 'turn':
      return [slotOfThread(record.turn.threadId)];
    case 'message':
      return [slotOfThread(record.message.threadId)];
    case 'shard':
      return [slotOfThread(record.shard.threadId)];
    case 'spending':
      return [slotOfScope(record.scope)];
    case 'forgotten':
      return [workspaceKey(record.workspace)];
    default:
      return [];
  }
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
