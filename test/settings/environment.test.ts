import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ollamaBaseUrl, readRole } from '../../src/settings/environment.ts';
import { readProxy } from '../../src/settings/proxy.ts';
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

  it.each(['"a.b.c"', '“a.b.c”', ' Bot a.b.c', '"Bearer a.b.c"', "'a.b.c'"])(
    'are read from %s without what was pasted with them',
    (value) => {
      expect(load({}, { DISCORD_TOKEN: value }).secrets.get('DISCORD_TOKEN')).toBe('a.b.c');
    },
  );

  it.each(['1576919320636686337', '0123456789abcdef', 'xoxb-1-2-abc', 'a.b.c d', 'a.b.ç'])(
    'of Discord are refused where they are something else, in the file that has them: %s',
    (token) => {
      const refused =
        /^.env DISCORD_TOKEN: it is not the token of a bot, .* under Bot, Reset Token$/;
      const [mistake = '', ...others] = mistakesIn({ '.env': `DISCORD_TOKEN=${token}\n` });
      expect(mistake).toMatch(refused);
      expect(mistake).not.toContain(token);
      expect(others).toEqual([]);
      const both = mistakesIn({ '.env': 'DISCORD_TOKEN=1\n' }, { DISCORD_TOKEN: token });
      expect(both.join()).toMatch(/^environment DISCORD_TOKEN/);
    },
  );

  it.each(['OPENAI_API_KEY: sk-a', 'OPENAI_API_KEY sk-a', 'export OPENAI_API_KEY : sk-a'])(
    'are not read from %s, which is refused',
    (line) => {
      const env = `# NOTE: mine\nXAI_API_KEY =\nexport PATH\n${line}\n`;
      expect(mistakesIn({ '.env': env })).toEqual([
        '.env:4 the name is not followed by =. Write NAME=value',
      ]);
    },
  );

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

const REDIS_URL = 'redis://127.0.0.1:6379';

it('a process does all of the work where nothing else is said', () => {
  expect(readRole({})).toEqual({ role: 'all', mistakes: [] });
});

it.each(['all', 'gateway', 'worker'] as const)('with Redis it may be %s', (role) => {
  expect(readRole({ COUNCIL_ROLE: role, REDIS_URL })).toEqual({ role, mistakes: [] });
});

it.each(['gateway', 'worker'] as const)('without Redis it can not be %s, and hears why', (role) => {
  const { mistakes } = readRole({ COUNCIL_ROLE: role });
  expect(mistakes).toEqual([
    {
      file: 'environment',
      setting: 'COUNCIL_ROLE',
      text: `a ${role} shares its work with other processes through Redis. Set REDIS_URL, or remove COUNCIL_ROLE`,
    },
  ]);
});

it('a role that there is not is refused with those that there are', () => {
  const { mistakes } = readRole({ COUNCIL_ROLE: 'boss', REDIS_URL });
  expect(mistakes[0]?.text).toBe('it must be one of all, gateway, worker');
});

const upstash = {
  UPSTASH_REDIS_REST_URL: 'https://eu1-calm-owl-1.upstash.io',
  UPSTASH_REDIS_REST_TOKEN: 'token',
};

describe('where the store is', () => {
  it.each([
    'redis://127.0.0.1:6379',
    'rediss://bot:p%40ss@db.example:6380/1',
    'redis+sentinel://bot:secret@one:26379,two:26379/main',
    'rediss+cluster://bot:secret@one:6379,two:6379',
  ])('may be the server %s', (url) => {
    expect(load({}, { REDIS_URL: url }).secrets.get('REDIS_URL')).toBe(url);
  });

  it('may be a database at Upstash', () => {
    expect(load({}, upstash).secrets.names).toEqual(Object.keys(upstash));
  });

  it.each([
    '127.0.0.1:6379',
    'https://host',
    'redis://',
    'me:secret@host',
    'redis+sentinel://host',
    'redis+cluster://host/1',
  ])('is refused without being shown when it is %s', (url) => {
    expect(mistakesIn({}, { REDIS_URL: url })).toEqual([
      'environment REDIS_URL: it is not the address of a server. Write e.g. redis://127.0.0.1:6379',
    ]);
  });

  it.each([
    ['UPSTASH_REDIS_REST_TOKEN', 'UPSTASH_REDIS_REST_URL'],
    ['UPSTASH_REDIS_REST_URL', 'UPSTASH_REDIS_REST_TOKEN'],
  ] as const)('is refused when %s is missing beside %s', (missing, set) => {
    expect(mistakesIn({}, { [set]: upstash[set] })).toEqual([
      `environment ${missing}: is missing, but ${set} is set. Copy it from the same page`,
    ]);
  });

  it('is one, not two', () => {
    expect(mistakesIn({}, { ...upstash, REDIS_URL: 'redis://host' })).toEqual([
      'environment REDIS_URL: there can be only one store, and Upstash is set, too. Remove one of them',
    ]);
  });
});

it.each([
  ['box', 'http://box:11434/v1'],
  ['box:1234', 'http://box:1234/v1'],
  ['box:80', 'http://box/v1'],
  ['0.0.0.0', 'http://127.0.0.1:11434/v1'],
  ['0.0.0.0:1234', 'http://127.0.0.1:1234/v1'],
  [':1234', 'http://127.0.0.1:1234/v1'],
  ['::1', 'http://[::1]:11434/v1'],
  ['[::1]', 'http://[::1]:11434/v1'],
  ['[::]:1234', 'http://[::1]:1234/v1'],
  ['http://box', 'http://box/v1'],
  ['http://box:1234/', 'http://box:1234/v1'],
  ['https://box.example.org', 'https://box.example.org/v1'],
  ['https://box.example.org/ollama/', 'https://box.example.org/ollama/v1'],
  ['http://box:1234/v1', 'http://box:1234/v1'],
  ['box/ollama', 'http://box:11434/ollama/v1'],
])('reads the host %s as %s', (host, baseUrl) => {
  expect(ollamaBaseUrl(host)).toBe(baseUrl);
});

it.each(['', 'a b', 'box:99999', 'ftp://box', 'me:pass@box', 'http://box?key=1', 'http://'])(
  'refuses what is no address: %s',
  (host) => {
    expect(ollamaBaseUrl(host)).toBeUndefined();
  },
);

it('gives a plain web address or nothing for any text', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.webAuthority({ withIPv6: true, withPort: true })),
      (host) => {
        const baseUrl = ollamaBaseUrl(host);
        if (baseUrl !== undefined) expect(baseUrl).toMatch(/^https?:\/\/[^/@?#]+.*\/v1$/);
      },
    ),
  );
});

describe('the proxy', () => {
  const here = 'localhost,127.0.0.1,::1,[::1]';
  const valuesOf = (variables: Record<string, string>) => {
    const { proxy } = readProxy(variables);
    return Object.fromEntries(proxy.names.map((name) => [name, proxy.get(name)]));
  };

  it('is read in either case, and never asked for this machine', () => {
    const told = { HTTPS_PROXY: 'http://me:pw@p:3128', http_proxy: 'http://q', NO_PROXY: '.corp' };
    expect(valuesOf(told)).toEqual({
      http_proxy: 'http://q',
      https_proxy: 'http://me:pw@p:3128',
      no_proxy: `.corp,${here}`,
    });
    expect(valuesOf({})).toEqual({ no_proxy: here });
  });

  it('of HTTP alone serves HTTPS too, and need not name its scheme', () => {
    expect(valuesOf({ HTTP_PROXY: 'proxy.example:3128' })).toMatchObject({
      http_proxy: 'http://proxy.example:3128',
      https_proxy: 'http://proxy.example:3128',
    });
  });

  it('is no SOCKS proxy, and its password is not shown', () => {
    const variables = { HTTPS_PROXY: 'socks5://me:hush@proxy:1080', HTTP_PROXY: 'http://' };
    const text = 'it is not the address of an HTTP proxy. Write e.g. http://proxy.example:3128';
    expect(mistakesIn({}, variables)).toEqual([
      `environment HTTP_PROXY: ${text}`,
      `environment HTTPS_PROXY: ${text}`,
    ]);
    expect(inspect(load({}, { HTTPS_PROXY: 'http://me:hush@proxy' }))).not.toContain('hush');
  });
});
