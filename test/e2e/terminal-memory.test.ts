import { expect, test } from 'vitest';
import { runCouncil } from './council-process.ts';
import { startRehearsedModels } from './rehearsed-models.ts';
import { temporaryProject } from './temporary-project.ts';

test('in the terminal what is remembered is shown, found, corrected and forgotten as in chat', async () => {
  const models = await startRehearsedModels();
  const folder = temporaryProject(models.settings);
  const give = async (...lines: readonly string[]) => {
    const args = ['chat', '--thread', 'one'];
    const ended = await runCouncil({ folder, args, input: `${lines.join('\n')}\n` });
    expect(ended.code).toBe(0);
    return ended.stdout;
  };
  await give('Should we dredge the harbour?', 'And when?', 'Who pays?', 'Who decides?');
  const shown = await give('/council memory', '/council memory search harbour');
  expect(shown).toMatch(/Remembered in this channel: 16 messages and \d+ summar/);
  const [, id = ''] = /^([0-9a-f]{10}) +Summary of \d+ messages/m.exec(shown) ?? [];
  expect(id).not.toBe('');
  expect(shown.slice(shown.indexOf('Best matches first'))).toContain(
    'Should we dredge the harbour?',
  );
  const corrected = await give(
    `/council memory edit ${id} "It was about the harbour."`,
    '/council memory forget thread',
  );
  expect(corrected).toContain('> It was about the harbour.');
  expect(corrected).toMatch(/This would be deleted: 4 questions, 12 answers, \d+ summar/);
  expect(corrected).toContain('/council memory forget thread one --confirm');
  const done = await give('/council memory forget thread one --confirm', '/council memory');
  expect(done).toContain('Forgotten: 4 questions, 12 answers');
  expect(done).toContain('Nothing is remembered in this channel yet.');
});
