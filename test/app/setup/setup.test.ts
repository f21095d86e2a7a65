import { statSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { setup } from '../../../src/app/tasks/setup.ts';
import { loadConfig } from '../../../src/settings/load.ts';
import { startDiscord } from '../../fakes/discord/discord.ts';
import { answerJson, startRawModelServer } from '../../fakes/raw-model-server.ts';
import { startSlack } from '../../fakes/slack/slack.ts';
import { says, useful } from '../server-behaviours.ts';
import { filesOf, openProject, type Project, rightKey } from './project.ts';

const keys = { enter: '\r', up: '\u001b[A', down: '\u001b[B', space: ' ', stop: '\u0003' };
/** A question that is waited for, and what is typed then. */
type Step = readonly [question: string, typed: string];

/** Runs the set-up and answers it; every step looks at what came after the one before. */
async function run(
  { places }: Project,
  steps: readonly Step[],
  ending = new AbortController().signal,
) {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input });
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 100, rows: 50 });
  let shown = '';
  output.on('data', (bytes) => {
    shown += stripVTControlCharacters(String(bytes));
  });
  const done = setup({ config: loadConfig(places), places, ending, input, output });
  let seen = 0;
  for (const [question, typed] of steps) {
    await expect
      .poll(() => shown.slice(seen), { timeout: 10_000, interval: 5 })
      .toContain(question);
    seen = shown.length;
    input.write(typed);
  }
  return { isChanged: await done, shown };
}

const { enter, up, down, space, stop } = keys;
const openAiWithKey: readonly Step[] = [
  ['Which models should the council think with?', enter],
  ['Paste the key for OpenAI', `${rightKey}${enter}`],
  ['Which model of OpenAI?', enter],
  ['Should the sages think with other models', enter],
  ['Where should people ask it', enter],
];

describe('the set-up', () => {
  test('takes a key, tries it, and writes both files, each line that was there kept', async () => {
    const project = await openProject({ env: '# secret things\nREDIS_URL=\n' });
    const before = filesOf(project);
    const { isChanged, shown } = await run(project, openAiWithKey);
    expect(isChanged).toBe(true);
    expect(shown).not.toContain(rightKey);
    expect(shown).not.toContain('embedding');
    expect(shown).toContain('To use Ollama, start it, run `ollama pull');
    expect(shown).toMatch(/openai:gpt-5-mini speaks for all; about 11 calls/);
    const after = filesOf(project);
    expect(after['.env']).toBe(`# secret things\nREDIS_URL=\nOPENAI_API_KEY=${rightKey}\n`);
    expect(statSync(join(project.project, '.env')).mode & 0o777).toBe(0o600);
    const text = before['config/council.yaml'] ?? '';
    expect(after['config/council.yaml']).toBe(
      text.replace('models:\n', 'models:\n  default: openai:gpt-5-mini\n'),
    );
    expect(loadConfig(project.places).settings.models.default).toBe('openai:gpt-5-mini');
    expect(Object.keys(after)).toHaveLength(Object.keys(before).length);
    // Tried in the shape that a council needs: a stream with a schema, and a plain call.
    const asked = project.server.requests.filter(({ path }) => path.endsWith('/completions'));
    expect(asked[0]?.body).toMatchObject({
      stream: true,
      response_format: { type: 'json_schema' },
    });
    expect(asked[1]?.body).not.toHaveProperty('stream');
  });

  test('finds a key under a near name, and keeps it under the right one', async () => {
    const project = await openProject({ environment: { OPENAI_APIKEY: rightKey } });
    const { shown } = await run(project, [
      ['OpenAI, with the key in OPENAI_APIKEY', enter],
      ...openAiWithKey.slice(2),
    ]);
    expect(shown).not.toContain(rightKey);
    expect(filesOf(project)['.env']).toBe(`OPENAI_API_KEY=${rightKey}\n`);
  });

  test('leaves a key where it is found under its own name', async () => {
    const project = await openProject({ environment: { OPENAI_API_KEY: rightKey } });
    await run(project, [
      ['OpenAI, with the key in OPENAI_API_KEY', enter],
      ...openAiWithKey.slice(2),
    ]);
    expect(filesOf(project)).not.toHaveProperty('.env');
    expect(filesOf(project)['config/council.yaml']).toContain('default: openai:gpt-5-mini');
  });

  test('changes nothing when the process ends while it waits for a server', async () => {
    const ending = AbortSignal.abort(new Error('Ended by SIGINT.'));
    const { isChanged, shown } = await run(await openProject(), [], ending);
    expect(isChanged).toBe(false);
    expect(shown).toContain('Nothing was changed.');
  });

  test('says what is wrong with a key, and takes another', async () => {
    const project = await openProject({ environment: { OPENAI_APIKEY: 'sk-wrong-0123456789' } });
    const { shown } = await run(project, [
      ['OpenAI, with the key in OPENAI_APIKEY', enter],
      ['Which model of OpenAI?', enter],
      ['What now?', enter],
      ['Paste the key for OpenAI', `${rightKey}${enter}`],
      ...openAiWithKey.slice(2),
    ]);
    expect(shown).toContain('The key for openai was rejected (401). Check OPENAI_APIKEY.');
    expect(filesOf(project)['.env']).toBe(`OPENAI_API_KEY=${rightKey}\n`);
  });

  test('spreads the sages over several models, and takes them back together', async () => {
    const project = await openProject({ environment: { OPENAI_API_KEY: rightKey } });
    const before = filesOf(project)['config/council.yaml'];
    const { shown } = await run(project, [
      ['OpenAI', enter],
      ['Which model of OpenAI?', enter],
      ['Should the sages think with other models', `${space}${enter}`],
      ['Where should people ask it', enter],
    ]);
    expect(shown).toMatch(/openai:gpt-5-mini and openai:gpt-5\.1 speak for the sages/);
    const { models } = loadConfig(project.places).settings;
    expect(models.sages).toEqual({ ada: 'openai:gpt-5-mini', strategy_expert: 'openai:gpt-5.1' });
    await run(project, [
      ['What would you like to change?', enter],
      ['OpenAI', enter],
      ['Which model of OpenAI?', enter],
      ['Should the sages think with other models', enter],
    ]);
    expect(filesOf(project)['config/council.yaml']).toBe(
      before?.replace('models:\n', 'models:\n  default: openai:gpt-5-mini\n'),
    );
  });

  test('changes one thing when it runs again', async () => {
    const discord = await startDiscord();
    onTestFinished(() => discord[Symbol.asyncDispose]());
    const council = `discord: { apiUrl: "${discord.api}" }\nmodels:\n  default: openai:gpt-5-mini`;
    const project = await openProject({ council, env: 'OPENAI_API_KEY=x\n' });
    const before = filesOf(project)['config/council.yaml'];
    const { shown } = await run(project, [
      ['What would you like to change?', `${down}${enter}`],
      ['Paste the token of the bot', `"Bot ${discord.token}"${enter}`],
    ]);
    expect(shown).toMatch(
      /the token is accepted\n.*reads messages in its threads\n.*add it to a server: https:\S+permissions=\d+\n/,
    );
    expect(filesOf(project)).toMatchObject({
      '.env': `OPENAI_API_KEY=x\nDISCORD_TOKEN=${discord.token}\n`,
      'config/council.yaml': before,
    });
  });

  test('offers a server again whose address was typed before', async () => {
    const listed = answerJson({ data: [{ id: 'small' }, { id: 'large' }] });
    const server = await startRawModelServer((request, response) =>
      (request.path.endsWith('/models') ? listed : says(useful))(request, response),
    );
    onTestFinished(() => server[Symbol.asyncDispose]());
    const project = await openProject();
    await run(project, [
      ['Which models should the council think with?', `${up}${enter}`],
      ['Its address?', `${server.baseUrl}${enter}`],
      ['Its key?', enter],
      ['Which model of your server?', enter],
      ['Should the sages think with other models', enter],
      ['Where should people ask it', enter],
    ]);
    const again = await run(project, [
      ['What would you like to change?', enter],
      ['own, runs here with small and large', enter],
      ['Which model of own?', `${down}${enter}`],
      ['Should the sages think with other models', enter],
    ]);
    expect(loadConfig(project.places).settings.models.default).toBe('own:large');
    expect(again.shown).not.toContain('To use Ollama');
  });

  test('says why a server lists no models, and takes a name', async () => {
    const refuses = answerJson({ error: { message: `No list for ${rightKey}.` } }, 403);
    const server = await startRawModelServer((request, response) =>
      (request.path.endsWith('/models') ? refuses : says(useful))(request, response),
    );
    onTestFinished(() => server[Symbol.asyncDispose]());
    const { shown } = await run(await openProject(), [
      ['Which models should the council think with?', `${up}${enter}`],
      ['Its address?', `${server.baseUrl}${enter}`],
      ['Its key?', `${rightKey}${enter}`],
      ['The name of the model?', `small${enter}`],
      ['Where should people ask it', enter],
    ]);
    expect(shown).not.toContain(rightKey);
    expect(shown.replace(/\s+│?\s*/g, ' ')).toContain(
      'The models of your server could not be listed: it answered 403, “No list for [redacted].”',
    );
  });

  test('says at once that a key is refused, and takes another, or a name all the same', async () => {
    const wrongKey = 'sk-wrong-0123456789';
    const listed = answerJson({ data: [{ id: 'small' }] });
    const refused = answerJson({ error: { message: `Who is ${wrongKey}?` } }, 401);
    const server = await startRawModelServer((request, response) => {
      const isRight = request.headers.authorization === `Bearer ${rightKey}`;
      const answer = request.path.endsWith('/models') ? listed : says(useful);
      return (isRight ? answer : refused)(request, response);
    });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const project = await openProject();
    const { shown } = await run(project, [
      ['Which models should the council think with?', `${up}${enter}`],
      ['Its address?', `${server.baseUrl}${enter}`],
      ['Its key?', `${wrongKey}${enter}`],
      ['What now?', `${down}${enter}`],
      ['The name of the model?', `small${enter}`],
      ['What now?', enter],
      ['Paste the key for your server', `${rightKey}${enter}`],
      ['Which model of your server?', enter],
      ['Where should people ask it', enter],
    ]);
    expect(shown).not.toContain(wrongKey);
    expect(shown.replace(/\s+│?\s*/g, ' ')).toContain(
      'your server refuses the key: it answered 401, “Who is [redacted]?”.',
    );
    expect(server.requests.map(({ path }) => path.split('/').at(-1)).slice(0, 3)).toEqual([
      ...['models', 'models', 'completions'],
    ]);
    expect(filesOf(project)['.env']).toBe(`OWN_API_KEY=${rightKey}\n`);
  });

  test('names what an app in Slack lacks', async () => {
    const slack = await startSlack({ scopes: ['chat:write', 'commands', 'app_mentions:read'] });
    onTestFinished(() => slack[Symbol.asyncDispose]());
    const { appToken } = slack.app;
    const { botToken } = slack.installation();
    const council = `slack: { apiUrl: "${slack.api}" }\nmodels:\n  default: openai:gpt-5-mini`;
    const project = await openProject({ council });
    const { shown } = await run(project, [
      ['What would you like to change?', `${down}${down}${enter}`],
      ['config/slack-manifest.yaml', `wrong${enter}`],
      ['Expected a token that begins with xoxb-', `${'\u007f'.repeat(5)}${botToken}${enter}`],
      ['Paste the app-level token', `${appToken}${enter}`],
    ]);
    expect(shown).toContain('it lacks chat:write.customize');
    expect(filesOf(project)['.env']).toBe(
      `SLACK_BOT_TOKEN=${botToken}\nSLACK_APP_TOKEN=${appToken}\n`,
    );
  });
});

describe('for a Slack that is set up', () => {
  const secret = 'SLACK_SIGNING_SECRET=shh\n';

  async function slackProject(env: string) {
    const slack = await startSlack();
    onTestFinished(() => slack[Symbol.asyncDispose]());
    const council = `slack: { apiUrl: "${slack.api}" }\nmodels:\n  default: openai:gpt-5-mini`;
    const { botToken } = slack.installation();
    return { botToken, project: await openProject({ council, env }) };
  }
  const chooseSlack = ['What would you like to change?', `${down}${down}${enter}`] as const;

  test('over HTTP, the set-up asks for no token that the next start would refuse', async () => {
    const { botToken, project } = await slackProject(`SLACK_BOT_TOKEN=xoxb-old\n${secret}`);
    const { isChanged, shown } = await run(project, [
      chooseSlack,
      ['Slack is set up. Enter another token?', enter],
      ['Paste the token of the bot', `${botToken}${enter}`],
    ]);
    expect(isChanged).toBe(true);
    expect(shown).toContain('If SLACK_BOT_TOKEN is set in the environment, remove it there');
    expect(filesOf(project)['.env']).toBe(`SLACK_BOT_TOKEN=${botToken}\n${secret}`);
    expect(loadConfig(project.places).secrets.get('SLACK_BOT_TOKEN')).toBe(botToken);
  });

  test('for several workspaces, it asks for none at all', async () => {
    const key = Buffer.alloc(32).toString('base64');
    const env = `SLACK_CLIENT_ID=1.2\nSLACK_CLIENT_SECRET=hush\n${secret}COUNCIL_ENCRYPTION_KEY=${key}\n`;
    const { project } = await slackProject(env);
    const { isChanged, shown } = await run(project, [chooseSlack]);
    expect(isChanged).toBe(false);
    expect(shown).toContain('tokens of workspaces are checked when the bot starts');
  });
});

describe('Ctrl-C', () => {
  const wholeWay: readonly Step[] = [
    ['Which models should the council think with?', enter],
    ['Paste the key for OpenAI', `wrong${enter}`],
    ['Which model of OpenAI?', enter],
    ['What now?', enter],
    ['Paste the key for OpenAI', `${rightKey}${enter}`],
    ['Which model of OpenAI?', `${down}${down}${enter}`],
    ['The name of the model?', `some-model${enter}`],
    ['Should the sages think with other models', `${space}${enter}`],
    ['Where should people ask it', `${space}${down}${space}${enter}`],
    ['Paste the token of the bot', `123456789012345678${enter}`],
    ['three parts with dots', `${'\u007f'.repeat(18)}non.sense.token${enter}`],
    ['What now?', `${down}${enter}`],
    ['Paste the token of the bot, xoxb', `xoxb-nonsense${enter}`],
    ['Paste the app-level token', `xapp-nonsense${enter}`],
    ['What now?', ''],
  ];

  test.each(wholeWay.map(([question], index) => [index, question] as const))(
    'at question %i (%s) leaves every file as it was',
    async (index, question) => {
      const discord = await startRawModelServer(answerJson({ message: '401', code: 0 }, 401));
      onTestFinished(() => discord[Symbol.asyncDispose]());
      const slack = await startSlack();
      onTestFinished(() => slack[Symbol.asyncDispose]());
      const council = `discord: { apiUrl: "${discord.baseUrl}" }\nslack: { apiUrl: "${slack.api}" }\nmodels:`;
      const project = await openProject({ council, env: 'REDIS_URL=\n' });
      const before = filesOf(project);
      const { isChanged, shown } = await run(project, [
        ...wholeWay.slice(0, index),
        [question, stop],
      ]);
      expect(isChanged).toBe(false);
      expect(shown).toContain('Nothing was changed.');
      expect(filesOf(project)).toEqual(before);
    },
  );
});
