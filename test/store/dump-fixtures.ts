import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dump } from '../../src/store/copy.ts';
import { openRedisDump, openUpstashDump } from '../../src/store/redis-dump.ts';
import { openSqliteDump } from '../../src/store/sqlite-dump.ts';
import { startOfTime } from '../contracts/store/case.ts';
import type { RedisServer } from '../fakes/redis-server.ts';
import type { UpstashServer } from '../fakes/upstash/server.ts';

/** An empty store opened for dumps, with a fixed clock; disposing of it removes every record. */
export interface DumpFixture extends AsyncDisposable {
  readonly dump: Dump;
}

const now = () => startOfTime;

/** `path` is where the file is. */
export async function sqliteDump(): Promise<DumpFixture & { readonly path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'council-dump-'));
  const path = join(folder, 'council.db');
  const dump = openSqliteDump({ path, now });
  return {
    dump,
    path,
    [Symbol.asyncDispose]: async () => {
      await dump.store.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** @param database - Of the server's; it is emptied. */
export async function redisDump(server: RedisServer, database: number): Promise<DumpFixture> {
  const url = `${server.url}/${database}`;
  await emptied(server, database);
  const dump = await openRedisDump({ url, now });
  return { dump, [Symbol.asyncDispose]: () => dump.store.close() };
}

/** Over the first database of the server behind the endpoint; it is emptied. */
export async function upstashDump(
  server: RedisServer,
  endpoint: UpstashServer,
): Promise<DumpFixture> {
  await emptied(server, 0);
  const { url, token } = endpoint;
  const dump = openUpstashDump({ url, token, now });
  return { dump, [Symbol.asyncDispose]: () => dump.store.close() };
}

async function emptied(server: RedisServer, database: number): Promise<void> {
  const connection = await server.connect();
  await connection.command('SELECT', String(database));
  await connection.command('FLUSHDB');
  connection.close();
}
