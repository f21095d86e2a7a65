import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { readImportFile } from '../../src/app/imports/read-file.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { imported, threadId } from '../contracts/store/samples.ts';
import { fileOf } from '../memory/export/exports.ts';

const choices = {
  check: () => undefined,
  askerIn: () => ({ id: 'uma', name: 'Uma' }),
  threadOf: (id: string) => id,
};
const depths = [2000, 20_000, 200_000] as const;
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

test.each(depths)(
  'an archive that is nested %i levels deep is damaged, and told where',
  async (levels) => {
    const content = `{"text": ${deep(levels)}}`;
    const message = `{"id": "q", "role": "human", "type": "user_query", "createdAt": 1, "content": ${content}}`;
    const thread = `{"threadId": "test:w:c:t", "turns": [], "messages": [${message}]}`;
    const archive = `{"format": "council-archive", "version": 1, "place": "test:w:c",\n"threads": [${thread}]}`;
    expect(await readImportFile(fileOf(archive), choices)).toEqual({
      status: 'damaged',
      position: expect.stringMatching(/^line 2, column \d+$/),
      why: 'it is nested more than 200 levels deep',
    });
    for (const text of [deep(levels), '['.repeat(levels), `{"id": ${deep(levels)}}`]) {
      expect(await readImportFile(fileOf(text), choices)).toMatchObject({ status: 'damaged' });
    }
  },
);

test.each(depths)('a record nested %i levels deep is damaged, and named', async (levels) => {
  const folder = mkdtempSync(join(tmpdir(), 'council-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'council.db');
  const first = openSqliteStore({ path });
  await first.messages.append([imported('one', 'human')]);
  await first.settings.write('channel:a:b:c', { depth: 'quick' }, { setBy: 'u', setAt: 1 });
  await first.close();
  const database = new DatabaseSync(path);
  database.prepare('UPDATE messages SET content = ?').run(`{"text": ${deep(levels)}}`);
  database.prepare('UPDATE settings SET value = ?').run(deep(levels));
  database.close();
  const store = openSqliteStore({ path });
  const damaged = (record: RegExp) =>
    expect.objectContaining({ name: 'StoreError', message: expect.stringMatching(record) });
  await expect(store.messages.page(threadId, { limit: 5 })).rejects.toThrow(
    damaged(/^Message one of thread .* is damaged in the store/),
  );
  await expect(store.settings.read(['channel:a:b:c'])).rejects.toThrow(
    damaged(/depth.* is damaged in the store/),
  );
  await store.close();
});
