import { expect, test } from 'vitest';
import { ForgetNotes } from '../../src/memory/forgetting/notes.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { askedTurn } from '../bot/forgetting.ts';
import { runCouncil } from './council-process.ts';
import { startRehearsedModels } from './rehearsed-models.ts';
import { temporaryProject } from './temporary-project.ts';

test('what was to be forgotten when a process died is forgotten by the next one', async () => {
  const models = await startRehearsedModels();
  const folder = temporaryProject(models.settings);
  const path = `${folder}/data/council.db`;
  const before = openSqliteStore({ path });
  const threadId = 'discord:guild:channel:thread';
  for (const personId of ['uma', 'ben']) {
    const text = `Said by ${personId}.`;
    await askedTurn(before, `turn of ${personId}`, { threadId, personId, text });
  }
  const subject = { kind: 'person', workspace: 'discord:guild', personId: 'uma' } as const;
  await new ForgetNotes(before.settings, Date.now).add('one', subject);
  await before.close();
  const ended = await runCouncil({ folder, input: 'Should we rewrite it?\n' });
  expect(ended.code).toBe(0);
  const store = openSqliteStore({ path });
  expect(await store.turns.read({ turnId: 'turn of uma', threadId })).toBeUndefined();
  expect(await store.turns.read({ turnId: 'turn of ben', threadId })).toBeDefined();
  expect(await store.settings.read(['forgetting:due'])).toEqual([{}]);
  await store.close();
});
