import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { type Ended, runCouncil } from './council-process.ts';
import { failsWith, startMockModels } from './mock-models.ts';
import { modelKey } from './open-council.ts';
import { startRehearsedModels } from './rehearsed-models.ts';
import { temporaryProject } from './temporary-project.ts';

const environment = { MODEL_KEY: modelKey };
const sages = ['ada', 'ben', 'cleo'];

/** Everything but line feeds that a terminal would obey. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const controlCodes = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

/** Neither a stack trace nor the key is in what was printed. */
function expectClean({ stdout, stderr }: Ended): void {
  expect(stdout + stderr).not.toContain(modelKey);
  expect(stderr).not.toMatch(/^\s+at .*:\d+/m);
}

describe('questions from a pipe', () => {
  test('are answered in one thread, in order, without terminal codes, and then it ends with 0', async () => {
    const models = await startMockModels();
    const folder = temporaryProject(models.settings);
    const input = 'Should we rewrite it?\nAnd when?\n';
    const ended = await runCouncil({ folder, input, environment });
    expect(ended.code).toBe(0);
    expectClean(ended);
    expect(ended.stdout).not.toMatch(controlCodes);
    expect(ended.stdout.match(/^## Verdict$/gm)).toHaveLength(2);
    expect(ended.stdout.indexOf('> And when?')).toBeGreaterThan(
      ended.stdout.indexOf('Rewrite it in parts.'),
    );
    const [first, second] = models.promptsOf('ben');
    expect(first).not.toContain('And when?');
    expect(second).toContain('Should we rewrite it?');
    expect(second).toContain('Ada: yes.');
    expect(models.promptsOf('chair')[1]).toContain('Rewrite it in parts.');
  });

  test('are found by the receipt and the export afterwards, though their thread has no name', async () => {
    const models = await startMockModels();
    const folder = temporaryProject(models.settings);
    const args = ['receipt'];
    const before = await runCouncil({ folder, args, environment });
    expect(before.stdout).toContain('Nothing has been asked in this thread yet');
    await runCouncil({ folder, input: 'Should we rewrite it?\n', environment });
    const after = await runCouncil({ folder, args, environment });
    expect(after.stdout).toContain('Chosen by the moderator for this question.');
    await runCouncil({ folder, args: ['ask', 'And when?', '--thread', 'named'], environment });
    const exported = await runCouncil({ folder, args: ['export'], environment });
    expect(exported.stdout).toBe('council-terminal-local-chat-named.md\n');
    const elsewhere = await runCouncil({
      folder,
      args: [...args, '--thread', 'main'],
      environment,
    });
    expect(elsewhere.stdout).toContain('Nothing has been asked in this thread yet');
  });

  test('that are none at all end it with 0 and call no one', async () => {
    const models = await startMockModels();
    const ended = await runCouncil({ folder: temporaryProject(models.settings), environment });
    expect(ended.code).toBe(0);
    expect(ended.stdout.trim()).toBe('');
    expect(models.calls()).toEqual({});
  });
});

describe('ask', () => {
  const args = ['ask', 'Should we rewrite it?'];

  test('about a file that can’t be read ask nothing, and say so', async () => {
    const models = await startMockModels();
    const folder = temporaryProject(models.settings);
    for (const file of ['none.pdf', 'config']) {
      const args = ['ask', 'Is it right?', '--attach', file];
      const ended = await runCouncil({ folder, args, environment });
      expect(ended).toMatchObject({
        code: 1,
        stderr: `There is no readable file ${join(folder, file)}.\n`,
      });
    }
  });

  test('with --json prints exactly one JSON object: the whole turn', async () => {
    const models = await startMockModels();
    const folder = temporaryProject(models.settings);
    const ended = await runCouncil({ folder, args: [...args, '--json'], environment });
    expect(ended.code).toBe(0);
    expectClean(ended);
    const turn: unknown = JSON.parse(ended.stdout);
    expect(turn).toMatchObject({
      question: 'Should we rewrite it?',
      outcome: 'answered',
      answers: sages.map((sage) => ({ sage, status: 'answered' })),
      reviews: sages.map(() => ({ ballot: { status: 'ranked' } })),
      verdict: { kind: 'synthesis', verdict: 'Rewrite it in parts.' },
      receipt: { how: 'moderated', totals: { calls: 9 } },
    });
  });

  test.each([
    [['--json'], '"outcome": "failed"'],
    [[], 'The council could not answer.'],
  ])('with %j ends with 1 when every sage fails, and says why', async (more, words) => {
    const broken = Object.fromEntries(sages.map((sage) => [sage, [failsWith(404)]]));
    const models = await startMockModels(broken);
    const folder = temporaryProject(models.settings);
    const ended = await runCouncil({ folder, args: [...args, ...more], environment });
    expect(ended.code).toBe(1);
    expectClean(ended);
    expect(ended.stdout).toContain(words);
    expect(ended.stdout).toMatch(/Model mock:\w+ does not exist at http/);
  });
});

describe('a key', () => {
  test('that is rejected is named by its variable and repeated nowhere', async () => {
    const message = `Incorrect API key provided: ${modelKey}.`;
    const rejects = { response: { error: { message }, status: 401 } };
    const everybody = ['moderator', ...sages].map((model) => [model, [rejects]]);
    const models = await startMockModels(Object.fromEntries(everybody));
    const folder = temporaryProject({ ...models.settings, log: { level: 'debug' } });
    for (const args of [['ask', 'Why?'], ['ask', 'Why?', '--json'], ['doctor']]) {
      const ended = await runCouncil({ folder, args, environment });
      expect(ended.code).toBe(1);
      expect(ended.stdout).toContain('The key for mock was rejected (401). Check MODEL_KEY.');
      expectClean(ended);
    }
  });

  test('that is missing is asked for at the start, before anything is called', async () => {
    const models = await startMockModels();
    const folder = temporaryProject(models.settings);
    const ended = await runCouncil({ folder, input: 'Why?\n', environment: { MODEL_KEY: '  ' } });
    expect(ended.code).toBe(78);
    expectClean(ended);
    for (const model of ['moderator', ...sages, 'reviewer', 'chair']) {
      expect(ended.stderr).toContain(`mock:${model} needs MODEL_KEY, and it is not set.`);
    }
    expect(models.calls()).toEqual({});
  });

  test('that is missing keeps no one from what needs no model', async () => {
    const models = await startMockModels();
    const folder = temporaryProject(models.settings);
    const run = (...args: readonly string[]) => runCouncil({ folder, args });
    expect(await run('sages')).toMatchObject({ code: 0, stdout: expect.stringContaining('Ada') });
    const played = await run('recorded', '4');
    expect(played).toMatchObject({ code: 0, stdout: expect.stringContaining('## Verdict') });
    const thread = 'recorded:council:examples:father';
    const receipt = await run('receipt', '--thread', thread);
    expect(receipt).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Recorded: /) });
    expect((await run('leaderboard', '--thread', thread)).code).toBe(0);
    expect(models.calls()).toEqual({});
  });

  test('may stand in .env', async () => {
    const models = await startMockModels();
    const folder = temporaryProject(models.settings, { '.env': `MODEL_KEY=${modelKey}\n` });
    const ended = await runCouncil({ folder, args: ['ask', 'Why?'] });
    expect(ended.code).toBe(0);
    expectClean(ended);
  });
});

describe('a configuration with mistakes', () => {
  test('is refused with all of them, each with its file and line', async () => {
    const folder = temporaryProject(
      {},
      {
        'config/council.yaml': [
          'council:',
          '  depth: deepest',
          '  fallbackSage: nobody',
          'models:',
          '  chair: opus',
          'limitz: {}',
        ].join('\n'),
        'config/sages/dora.md': '---\nname: Dora\n---\n',
      },
    );
    const ended = await runCouncil({ folder, input: 'Why?\n' });
    expect(ended.code).toBe(78);
    expectClean(ended);
    expect(ended.stdout).toBe('');
    for (const place of ['council.yaml:2', 'council.yaml:3', 'council.yaml:5', 'council.yaml:6']) {
      expect(ended.stderr).toContain(`config/${place} `);
    }
    expect(ended.stderr).toMatch(/sages\/dora\.md:\d+ /);
    expect(ended.stderr).toContain('The configuration has 5 mistakes:');
  });
});

describe('without a model', () => {
  const nobody = { OLLAMA_HOST: '127.0.0.1:9' };
  const project = () => temporaryProject({ council: { fallbackSage: 'ada' }, models: {} });

  test('a question gets one short reply, nothing speaks, and it says so with its exit code', async () => {
    const ended = await runCouncil({
      folder: project(),
      args: ['ask', 'Why?'],
      environment: nobody,
    });
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain('No model is set up, so no sage can speak yet.');
    expect(ended.stdout).toContain('would probably sit');
    expect(ended.stderr).not.toContain('No model is set up');
    expect(ended.stdout).not.toContain('## ');
  });

  test('`chat` talks here also where a bot for a chat is set up', async () => {
    const environment = { ...nobody, DISCORD_TOKEN: 'a.b.c' };
    const folder = project();
    const ended = await runCouncil({ folder, args: ['chat'], input: 'Why?\n', environment });
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain('No model is set up, so no sage can speak yet.');
  });

  test('a recorded council is played, and looked at like a live one, under its mark', async () => {
    const folder = project();
    const run = (...args: readonly string[]) => runCouncil({ folder, args, environment: nobody });
    const played = await run('recorded', '4');
    expect(played.code).toBe(0);
    expect(played.stdout).toContain('## Verdict');
    expect(played.stderr).not.toContain('No model is set up');
    const thread = 'recorded:council:examples:father';
    const receipt = await run('receipt', '--thread', thread);
    expect(receipt.stdout).toMatch(/^Recorded: .*\n\nOutcome /);
    expect(receipt.stdout).toContain('3 read, 1 abstained');
    const unknown = await run('receipt', 'nosuch', '--thread', thread);
    const offered = `npm run council -- receipt recorded-father --thread ${thread}`;
    expect(unknown).toMatchObject({ code: 1, stdout: expect.stringContaining(offered) });
    expect((await run('export', thread)).code).toBe(0);
  });

  test('doctor names what is missing and the step', async () => {
    const ended = await runCouncil({ folder: project(), args: ['doctor'], environment: nobody });
    expect(ended.stdout).toContain('✗ model: No model is set up');
    expect(ended.code).toBe(1);
  });

  test('doctor begins with its first check where there is nothing to say before it', async () => {
    const nowhere = { baseUrl: 'http://127.0.0.1:9/v1' };
    const providers = { ollama: nowhere, lmstudio: nowhere, llamacpp: nowhere, vllm: nowhere };
    const folder = temporaryProject({ council: { fallbackSage: 'ada' }, models: { providers } });
    const ended = await runCouncil({ folder, args: ['doctor'] });
    expect(ended.stdout).toMatch(/^✓ Node: /);
  });
});

describe('doctor', () => {
  test('ends with 0 when all is well', async () => {
    const models = await startRehearsedModels();
    const ended = await runCouncil({ folder: temporaryProject(models.settings), args: ['doctor'] });
    expect(ended.stdout).toContain('model rehearsal:sages: answers');
    expect(ended.stdout).toContain('Everything works.');
    expect(ended.code).toBe(0);
    expect(ended.stdout).not.toMatch(controlCodes);
  });

  test('ends with 1 when something fails, and says what to do about each', async () => {
    const models = await startMockModels({ chair: [failsWith(402)], ben: [failsWith(404)] });
    const folder = temporaryProject(models.settings);
    const ended = await runCouncil({ folder, args: ['doctor'], environment });
    expect(ended.code).toBe(1);
    expectClean(ended);
    expect(ended.stdout).toMatch(/✗ model mock:chair: .*Top it up at mock/);
    expect(ended.stdout).toMatch(/✗ model mock:ben: .*check the spelling/);
    expect(ended.stdout).toMatch(/✓ model mock:ada: answers/);
    expect(ended.stdout).toContain('2 things need fixing.');
  });

  test.each<[string, (path: string) => void, RegExp]>([
    [
      'whose tables were dropped',
      (path) => {
        const database = new DatabaseSync(path);
        database.exec('PRAGMA foreign_keys = OFF; DROP TABLE messages; DROP TABLE turns');
        database.close();
      },
      /is damaged \(no such table: [a-z._]+\)\. .*Replace it with a backup/,
    ],
    [
      'with a page that was overwritten',
      (path) => {
        const bytes = readFileSync(path);
        writeFileSync(path, bytes.fill(0xaa, 8 * 4096, 9 * 4096));
      },
      /council\.db is damaged \(.*Replace it with a backup/,
    ],
    [
      'without its header',
      (path) => writeFileSync(path, readFileSync(path).fill(0, 0, 100)),
      /is damaged or not a SQLite database .*Replace it with a backup/,
    ],
  ])('says what is wrong with a file %s, and so does a question', async (_, damage, said) => {
    const models = await startRehearsedModels();
    const folder = temporaryProject(models.settings);
    await runCouncil({ folder, args: ['ask', 'Why?'] });
    damage(`${folder}/data/council.db`);
    const looked = await runCouncil({ folder, args: ['doctor', '--offline'] });
    expect(looked.code).toBe(1);
    expect(looked.stdout).toMatch(said);
    expect(looked.stdout).not.toMatch(/^(Everything|What was checked) works/m);
    const asked = await runCouncil({ folder, args: ['ask', 'Why?'] });
    for (const ended of [looked, asked]) expectClean(ended);
    expect(asked.stdout + asked.stderr).not.toContain('few minutes');
  });

  test('calls no one with --offline', async () => {
    const models = await startMockModels({ chair: [failsWith(402)] });
    const folder = temporaryProject(models.settings);
    const ended = await runCouncil({ folder, args: ['doctor', '--offline'], environment });
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain('What was checked works. Without --offline,');
    expect(models.calls()).toEqual({});
  });
});
