import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Archive } from '../../src/store/copy.ts';
import { openRedisArchive, openUpstashArchive } from '../../src/store/redis-archive.ts';
import { openSqliteArchive } from '../../src/store/sqlite-archive.ts';
import { startOfTime } from '../contracts/store/case.ts';
import type { RedisServer } from '../fakes/redis-server.ts';
import type { UpstashServer } from '../fakes/upstash/server.ts';

/** An empty archive, alone in its place, whose clock stands; disposing of it removes every record. */
export interface ArchivePlace extends AsyncDisposable {
  readonly archive: Archive;
}

const now = () => startOfTime;

/** `path` is where the file is. */
export async function sqliteArchivePlace(): Promise<ArchivePlace & { readonly path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'council-archive-'));
  const path = join(folder, 'council.db');
  const archive = openSqliteArchive({ path, now });
  return {
    ...{ archive, path },
    [Symbol.asyncDispose]: async () => {
      await archive.store.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** @param database - Of the server's; it is emptied. */
export async function redisArchivePlace(
  server: RedisServer,
  database: number,
): Promise<ArchivePlace> {
  const url = `${server.url}/${database}`;
  await emptied(server, database);
  const archive = await openRedisArchive({ url, now });
  return { archive, [Symbol.asyncDispose]: () => archive.store.close() };
}

/** Over the first database of the server behind the endpoint; it is emptied. */
export async function upstashArchivePlace(
  server: RedisServer,
  endpoint: UpstashServer,
): Promise<ArchivePlace> {
  await emptied(server, 0);
  const { url, token } = endpoint;
  const archive = openUpstashArchive({ url, token, now });
  return { archive, [Symbol.asyncDispose]: () => archive.store.close() };
}

async function emptied(server: RedisServer, database: number): Promise<void> {
  const connection = await server.connect();
  await connection.command('SELECT', String(database));
  await connection.command('FLUSHDB');
  connection.close();
}
