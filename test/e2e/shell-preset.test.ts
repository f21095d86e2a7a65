import { expect, test } from 'vitest';
import { runCouncil } from './council-process.ts';
import { startRehearsedModels } from './rehearsed-models.ts';
import { temporaryProject } from './temporary-project.ts';

test('a preset of council.yaml is asked from the shell, and its criteria are told with the ranking', async () => {
  const models = await startRehearsedModels();
  const criteria = 'fairness, evidence';
  const hiring = { description: 'For decisions about people', seats: ['ben', 'cleo'], criteria };
  const folder = temporaryProject({ ...models.settings, presets: { hiring } });
  const asked = await runCouncil({
    folder,
    args: ['ask', 'Whom?', '--preset', 'hiring', '--json'],
  });
  expect(asked.code).toBe(0);
  expect(JSON.parse(asked.stdout)).toMatchObject({
    preset: 'hiring',
    seated: { seats: [{ sage: { key: 'ben' } }, { sage: { key: 'cleo' } }] },
    ranked: { criteria },
    receipt: { preset: 'hiring' },
  });
  const printed = await runCouncil({ folder, args: ['ask', 'Whom?', '--preset', 'hiring'] });
  expect(printed.stdout).toContain(`Judged by: ${criteria}`);
  const unknown = await runCouncil({ folder, args: ['ask', 'Whom?', '--preset', 'firing'] });
  expect(unknown.code).toBe(1);
  expect(unknown.stdout + unknown.stderr).toContain('There is no preset “firing” here.');
});
