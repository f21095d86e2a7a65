import { describe, expect, onTestFinished, test } from 'vitest';
import { modelNames } from '../../src/app/models.ts';
import { chooseModels } from '../../src/app/open-models.ts';
import { startLines, whoSpeaks } from '../../src/app/starting.ts';
import { pricesIn } from '../../src/models/prices.ts';
import { answerJson, startRawModelServer } from '../fakes/raw-model-server.ts';
import { load } from '../settings/config-folder.ts';

const signal = new AbortController().signal;
const nobody = { OLLAMA_HOST: '127.0.0.1:1' };

function configure(yaml: string, environment: Readonly<Record<string, string>> = {}, env = '') {
  const ada = '---\nname: Ada\ndescription: Sees things.\n---\n';
  const files = { 'config/council.yaml': yaml, 'config/sages/ada.md': ada, '.env': env };
  return load(files, environment);
}

async function linesOf(...given: Parameters<typeof configure>): Promise<readonly string[]> {
  const config = configure(...given);
  const chosenModels = await chooseModels(config, signal);
  return startLines({ config, chosenModels, ending: signal });
}

describe('a start says', () => {
  test('who speaks, and what a question costs', async () => {
    const [line, ...others] = await linesOf('', { OPENAI_API_KEY: 'sk-a' });
    expect(line).toMatch(
      /^openai:gpt-5-mini speaks for all; about 11 calls and \$0\.0\d a question\.$/,
    );
    expect(others).toEqual([]);
  });

  test.each([
    [
      'models: { default: "a:a", chair: "b:b" }',
      'a:a speaks for the sages, b:b for the chair, a:a for the moderator; about 11 calls a question, at a price that is not known here.',
    ],
    [
      'models: { default: "a:a", sages: { ada: "c:c" } }',
      'c:c and a:a speak for the sages, a:a for the chair; about 11 calls a question, at a price that is not known here.',
    ],
    [
      'council: { depth: quick }\nmodels: { default: "p:p" }',
      'p:p speaks for all; about 7 calls and less than $0.01 a question.',
    ],
    ['models: { default: "f:f" }', 'f:f speaks for all; about 11 calls a question, at no cost.'],
  ])('so of %s', (yaml, line) => {
    const address = '{ baseUrl: https://models.example/v1 }';
    const providers = `providers: { ${['a', 'b', 'c', 'f', 'p'].map((name) => `${name}: ${address}`).join(', ')} }`;
    const config = configure(yaml.replace(/ }$/, `, ${providers} }`));
    const priceOf = pricesIn({
      'f:f': { inputUsdPerMillionTokens: 0, outputUsdPerMillionTokens: 0 },
      'p:p': { inputUsdPerMillionTokens: 0.1, outputUsdPerMillionTokens: 0.2 },
    });
    expect(whoSpeaks(config, modelNames(config, config.settings.models.default), priceOf)).toBe(
      line,
    );
  });

  test('which variable has a slip in its name, and which key has no provider', async () => {
    const lines = await linesOf('', { ...nobody, OPENAI_APIKEY: 'x', COHERE_API_KEY: 'y' });
    expect(lines).toEqual(
      expect.arrayContaining([
        'OPENAI_APIKEY is set, but nothing reads it. Did you mean OPENAI_API_KEY?',
        expect.stringMatching(
          /^COHERE_API_KEY is set, but its provider is unknown\. .* in \/\S+\/config\/council\.yaml\.$/,
        ),
        expect.stringMatching(
          /^OLLAMA_HOST is set, but no model server answers at http:\/\/127\.0\.0\.1:1\/v1\./,
        ),
      ]),
    );
  });

  test('of the keys of other programs nothing where a model speaks, unless .env has them', async () => {
    const key = { OPENAI_API_KEY: 'sk-a' };
    expect(await linesOf('', { ...key, COHERE_API_KEY: 'y' })).toHaveLength(1);
    expect(await linesOf('', key, 'COHERE_API_KEY=y')).toHaveLength(2);
  });

  test('of variables in .env that are needed before it is read', async () => {
    const file = 'COUNCIL_CONFIG=/etc/council\nNODE_EXTRA_CA_CERTS=/etc/ca.pem';
    const key = { OPENAI_API_KEY: 'sk-a' };
    expect(await linesOf('', key, file)).toEqual([
      expect.anything(),
      expect.stringMatching(/^COUNCIL_CONFIG is set in \.env, which is read too late/),
      expect.stringMatching(/^NODE_EXTRA_CA_CERTS is set in \.env/),
    ]);
    const started = { COUNCIL_CONFIG: '/etc/council', NODE_EXTRA_CA_CERTS: '/etc/ca.pem' };
    expect(await linesOf('', { ...key, ...started }, file)).toHaveLength(1);
    const inTime = 'HTTPS_PROXY=http://proxy:3128\nNO_PROXY=10.0.0.1';
    expect(await linesOf('', key, inTime)).toHaveLength(1);
  });

  test.each(['.env.txt', '.env.example', 'config/.env', 'config/.env.txt'])(
    'that %s is not read, where it sets what is missing',
    async (name) => {
      const linesWith = async (env: string) => {
        const ada = '---\nname: Ada\ndescription: Sees things.\n---\n';
        const misplaced = 'GROQ_API_KEY=gsk-hush\nDISCORD_TOKEN=a.hush.c\nXAI_API_KEY=\nOTHER=x\n';
        const files = { 'config/sages/ada.md': ada, [name]: misplaced, '.env': env };
        const config = load(files, nobody);
        const chosenModels = await chooseModels(config, signal);
        return (await startLines({ config, chosenModels, ending: signal })).join('\n');
      };
      const lines = await linesWith('GROQ_API_KEY=gsk-a');
      expect(lines).toMatch(
        /^\S+\.env\S* sets DISCORD_TOKEN, but only \S+\.env is read\. Rename the file, or copy its lines there\.$/m,
      );
      expect(lines).toContain(`/${name} sets`);
      expect(lines).not.toContain('hush');
      expect(await linesWith('')).toContain(' sets DISCORD_TOKEN, GROQ_API_KEY, but');
      expect(await linesWith('GROQ_API_KEY=gsk-a\nDISCORD_TOKEN=a.b.c')).not.toContain(' sets ');
    },
  );

  test('nothing of a server that answers', async () => {
    const server = await startRawModelServer(answerJson({ data: [{ id: 'llama3.2:3b' }] }));
    onTestFinished(() => server[Symbol.asyncDispose]());
    const host = new URL(server.baseUrl).host;
    expect(await linesOf('', { OLLAMA_HOST: host })).toEqual([
      'ollama:llama3.2:3b speaks for all; about 11 calls a question, at no cost.',
    ]);
  });
});
