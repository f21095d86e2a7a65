import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { load, mistakesIn } from './config-folder.ts';

const secret = 'sk-proj-Zx81Qw93Er27Ty64';

describe('secrets', () => {
  it('are the keys that providers name, and nothing else of the environment', () => {
    const text =
      'models:\n  providers:\n    vllm: { baseUrl: http://h/v1, apiKeyEnv: VLLM_API_KEY }\n';
    const { secrets } = load(
      { 'config/council.yaml': text },
      { OPENAI_API_KEY: 'one', VLLM_API_KEY: 'two', HOME: '/home/ada' },
    );
    expect(secrets.names).toEqual(['OPENAI_API_KEY', 'VLLM_API_KEY']);
    expect(secrets.get('VLLM_API_KEY')).toBe('two');
    expect(secrets.get('HOME')).toBeUndefined();
  });

  it('come from .env too, and the environment goes before it', () => {
    const { secrets } = load(
      { '.env': '# keys\nOPENAI_API_KEY="from file"\nOPENROUTER_API_KEY=\' from file \'\r\n' },
      { OPENAI_API_KEY: 'from environment' },
    );
    expect(secrets.get('OPENAI_API_KEY')).toBe('from environment');
    expect(secrets.get('OPENROUTER_API_KEY')).toBe('from file');
  });

  it('that are empty or blank count as not set, and do not hide what .env says', () => {
    const { secrets } = load(
      { '.env': 'OPENAI_API_KEY=from file\nOPENROUTER_API_KEY=\n' },
      { OPENAI_API_KEY: '', OPENROUTER_API_KEY: ' ' },
    );
    expect(secrets.names).toEqual(['OPENAI_API_KEY']);
    expect(secrets.get('OPENAI_API_KEY')).toBe('from file');
  });

  it('do not show however the configuration is printed', () => {
    const config = load({}, { OPENAI_API_KEY: secret });
    expect(config.secrets.get('OPENAI_API_KEY')).toBe(secret);
    const printed = [
      JSON.stringify(config),
      JSON.stringify({ ...config.secrets }),
      inspect(config, { depth: null, showHidden: true }),
      inspect(config.secrets, { customInspect: false, showHidden: true }),
      `${config.secrets}`,
    ].join('\n');
    expect(printed).toContain('OPENAI_API_KEY');
    expect(printed).not.toContain(secret);
  });

  it.each([
    [
      'where the name of its variable belongs',
      `models: { providers: { v: { baseUrl: "http://h", apiKeyEnv: ${secret} } } }`,
    ],
    ['in a setting that there is not', `models: { apiKey: ${secret} }`],
    ['in place of a model', `models: { chair: ${secret} }`],
    ['as a provider', `models: { chair: "${secret}:gpt" }`],
    ['as a sage', `models: { sages: { ${secret}: openai:gpt-5 } }`],
    ['as a setting', `${secret}: 1`],
    ['in an address', `models: { providers: { v: { baseUrl: "https://me:${secret}@h/v1" } } }`],
    [
      'in the query of an address',
      `models: { providers: { v: { baseUrl: "https://h/v1?key=${secret}" } } }`,
    ],
    ['in text that is not YAML', `models:\n\tkey: ${secret}`],
    ['as an alias', `models: { chair: *${secret} }`],
    ['as a tag', `models: { chair: !${secret} x }`],
  ])('do not show in the error when one was put %s', (_, text) => {
    const lines = mistakesIn({ 'config/council.yaml': text });
    expect(lines).not.toEqual([]);
    expect(lines.join('\n')).not.toContain(secret);
  });

  it('do not show in the error when one was put in OLLAMA_HOST', () => {
    const lines = mistakesIn({}, { OLLAMA_HOST: `http://me:${secret}@host` });
    expect(lines).toEqual([
      'environment OLLAMA_HOST: it is not the address of a server. Write e.g. 127.0.0.1:11434',
    ]);
  });
});

describe('OLLAMA_HOST', () => {
  const address = (files: Record<string, string>, host: string) =>
    load(files, { OLLAMA_HOST: host }).settings.models.providers.ollama?.baseUrl;

  it('says where the local server is', () => {
    expect(address({}, 'box:1234')).toBe('http://box:1234/v1');
  });

  it('gives way to an address in the file', () => {
    const text = 'models: { providers: { ollama: { baseUrl: "http://other/v1" } } }';
    expect(address({ 'config/council.yaml': text }, 'box:1234')).toBe('http://other/v1');
  });
});
