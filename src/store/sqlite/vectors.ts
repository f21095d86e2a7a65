import type { MemoryKey, StoredVector } from '../store.ts';
import type { Connection } from './connection.ts';
import { messageAgesFrom } from './memory-reader.ts';
import { readVector } from './rows.ts';

/** Keeps vectors beside what they are of, and lets them go with it. */
export interface VectorKeeper {
  /** @param keptSince - Of what ages from before, there is none. */
  get(model: string, key: MemoryKey, keptSince: number): StoredVector | undefined;
  /** Works inside the caller's `transaction`. Does nothing for what is not there. */
  put(key: MemoryKey, vector: StoredVector): void;
}

export function vectorKeeper(connection: Connection): VectorKeeper {
  const statements = {
    message: statementsFor(connection, 'message', 'change IS NOT NULL', messageAgesFrom),
    shard: statementsFor(connection, 'shard', 'superseded_at IS NULL', 'ages_from'),
  } as const;
  return {
    get(model, { kind, threadId, id }, keptSince) {
      const row = statements[kind].get.get(threadId, id, keptSince, model);
      return row && readVector(row);
    },
    put({ kind, threadId, id }, { model, values }) {
      statements[kind].put.run(threadId, id, model, new Uint8Array(values));
    },
  };
}

function statementsFor(
  connection: Connection,
  kind: 'message' | 'shard',
  isThere: string,
  agesFrom: string,
) {
  return {
    get: connection.prepare(`
      SELECT model, vector FROM ${kind}_vectors
      WHERE ${kind}_seq = (
        SELECT seq FROM ${kind}s WHERE thread_id = ? AND id = ? AND ${agesFrom} >= ?
      ) AND model = ?`),
    put: connection.prepare(`
      INSERT INTO ${kind}_vectors (${kind}_seq, model, vector)
      SELECT seq, ?3, ?4 FROM ${kind}s WHERE thread_id = ?1 AND id = ?2 AND ${isThere}
      ON CONFLICT (${kind}_seq) DO UPDATE SET model = excluded.model, vector = excluded.vector`),
  };
}
