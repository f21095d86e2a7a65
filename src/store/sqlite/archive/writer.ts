/** Stores records in a file as they are, each portion as one transaction. */

import { channelOf, workspaceOf } from '../../../domain/thread-id.ts';
import type { Archive, ArchiveRecord, Standing } from '../../archive.ts';
import type { StoredVector } from '../../store.ts';
import type { Connection } from '../connection.ts';
import {
  messageInsert,
  messageInsertValues,
  shardInsert,
  shardInsertValues,
  sourceInsert,
} from '../remembering.ts';
import { insertInto, settingColumns, turnColumns } from '../rows.ts';
import { spendingWriter } from '../spending.ts';

type Of<Kind extends ArchiveRecord['kind']> = Extract<ArchiveRecord, { kind: Kind }>;

export function archiveWriter(connection: Connection): Archive['write'] {
  const insertTurn = connection.prepare(
    `${insertInto('turns', `${turnColumns.names}, event_id, request`)} ON CONFLICT (turn_id) DO NOTHING`,
  );
  const turnSeq = connection.prepare('SELECT seq FROM turns WHERE turn_id = ?');
  const insertStep = connection.prepare(
    'INSERT INTO steps (turn_seq, kind, key, data) VALUES (?, ?, ?, ?)',
  );
  const usage = spendingWriter(connection);
  const insertMessage = connection.prepare(
    `${messageInsert} ON CONFLICT (thread_id, id) DO NOTHING`,
  );
  const markSource = connection.prepare('UPDATE messages SET shard_id = ? WHERE seq = ?');
  const insertShard = connection.prepare(`${shardInsert} ON CONFLICT (thread_id, id) DO NOTHING`);
  const insertSource = connection.prepare(sourceInsert);
  const moveClock = connection.prepare(`
    INSERT INTO memory_clocks (workspace, change, epoch) VALUES (?, ?, 0)
    ON CONFLICT (workspace) DO UPDATE SET change = max(change, excluded.change)`);
  const closeChannel = connection.prepare(
    'INSERT INTO private_channels (channel) VALUES (?) ON CONFLICT DO NOTHING',
  );
  const insertVector = {
    message: vectorInsert(connection, 'message'),
    shard: vectorInsert(connection, 'shard'),
  } as const;
  const insertSetting = connection.prepare(
    `${insertInto('settings', settingColumns.names)} ON CONFLICT (scope, name) DO NOTHING`,
  );
  const insertClaim = connection.prepare(
    'INSERT INTO claims (key, expires_at) VALUES (?, ?) ON CONFLICT (key) DO NOTHING',
  );
  const insertForgotten = connection.prepare(`
    INSERT INTO forgotten_events (event_id, workspace, expires_at) VALUES (?, ?, ?)
    ON CONFLICT (event_id) DO NOTHING`);
  const insertSpending = connection.prepare(`
    INSERT INTO spending (scope, day, cost_usd) VALUES (?, ?, ?) ON CONFLICT (scope, day) DO NOTHING`);

  /** Where it stands in the file; 0 for what is complete and so old that it is found no more. */
  function placed(threadId: string, standing: Standing | undefined) {
    const channel = channelOf(threadId);
    if (standing === undefined) return { channel, workspace: null, change: 0 };
    const { change, isOpen, isChannelPrivate } = standing;
    const workspace = workspaceOf(threadId);
    moveClock.run(workspace, change);
    if (isChannelPrivate) closeChannel.run(channel);
    return { channel, workspace: isOpen ? workspace : null, change };
  }

  function keepVector(
    kind: 'message' | 'shard',
    seq: number | bigint,
    vector?: StoredVector,
  ): void {
    if (vector === undefined) return;
    insertVector[kind].run(seq, vector.model, new Uint8Array(vector.values));
  }

  function writeTurn({ turn }: Of<'turn'>): void {
    const { turnId, threadId, eventId, request } = turn;
    const values = [...turnColumns.values(turn), eventId, JSON.stringify(request)];
    const { changes, lastInsertRowid } = insertTurn.run(...values);
    if (changes === 0) return;
    const seq = Number(lastInsertRowid);
    for (const { kind, key, data } of turn.steps) {
      insertStep.run(seq, kind, key, JSON.stringify(data));
    }
    // What it cost is counted by records of its own.
    usage.record({ turnId, threadId, seq }, turn.usage);
  }

  function writeMessage({ message, isImported, shardId, standing, vector }: Of<'message'>): void {
    const owner = isImported ? null : Number(turnSeq.get(message.turnId ?? null)?.seq);
    const { changes, lastInsertRowid } = insertMessage.run(
      ...messageInsertValues(
        message,
        owner,
        message.status === 'complete' ? placed(message.threadId, standing) : undefined,
      ),
    );
    if (changes === 0) return;
    if (shardId !== undefined) markSource.run(shardId, lastInsertRowid);
    keepVector('message', lastInsertRowid, vector);
  }

  function writeShard({ shard, standing, vector }: Of<'shard'>): void {
    const { changes, lastInsertRowid } = insertShard.run(
      ...shardInsertValues(shard, placed(shard.threadId, standing)),
    );
    if (changes === 0) return;
    for (const source of shard.sourceIds) insertSource.run(lastInsertRowid, shard.threadId, source);
    keepVector('shard', lastInsertRowid, vector);
  }

  function writeOne(record: ArchiveRecord): void {
    switch (record.kind) {
      case 'turn':
        writeTurn(record);
        return;
      case 'message':
        writeMessage(record);
        return;
      case 'shard':
        writeShard(record);
        return;
      case 'setting':
        insertSetting.run(...settingColumns.values({ ...record, ...record.setting }));
        return;
      case 'claim':
        insertClaim.run(record.key, record.expiresAt);
        return;
      case 'forgotten':
        insertForgotten.run(record.eventId, record.workspace, record.expiresAt);
        return;
      case 'spending':
        insertSpending.run(record.scope, record.day, record.costUsd);
        return;
    }
  }

  return async (records) => {
    connection.transaction(() => {
      for (const record of records) writeOne(record);
    });
  };
}

function vectorInsert(connection: Connection, kind: 'message' | 'shard') {
  return connection.prepare(
    `INSERT INTO ${kind}_vectors (${kind}_seq, model, vector) VALUES (?, ?, ?)`,
  );
}
