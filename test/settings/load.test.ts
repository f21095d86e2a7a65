import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/settings/load.ts';
import { fallbackSage, load, projectWith } from './config-folder.ts';

describe('what is not in the file', () => {
  it.each([
    ['no file', {}],
    ['an empty file', { 'config/council.yaml': '' }],
    ['comments alone', { 'config/council.yaml': '# nothing yet\n' }],
    [
      'groups with nothing in them',
      { 'config/council.yaml': 'council:\nmodels:\nlog:\n  level:\n' },
    ],
  ])('takes every default from %s', (_, files) => {
    const { settings } = load(files);
    expect(settings).toEqual({
      council: {
        seats: 'moderated',
        timeZone: 'UTC',
        followUpMode: 'asked',
        depth: 'standard',
        maxSages: 4,
        maxDynamicSages: 2,
        answerWords: 160,
        fallbackSage: 'strategy_expert',
        chairTurns: 3,
      },
      presets: {},
      models: {
        default: 'auto',
        sages: {},
        fallback: [],
        autoModels: {},
        providers: expect.objectContaining({
          anthropic: {
            baseUrl: 'https://api.anthropic.com/v1',
            apiKeyEnv: 'ANTHROPIC_API_KEY',
            structuredOutput: 'prompt',
            streamUsage: true,
            outputLimit: 'max_tokens',
            takesReasoningEffort: false,
            pictures: true,
            statesCost: false,
            maxConcurrentCalls: 64,
          },
          lmstudio: {
            baseUrl: 'http://127.0.0.1:1234/v1',
            structuredOutput: 'json_schema',
            streamUsage: true,
            outputLimit: 'max_tokens',
            takesReasoningEffort: true,
            pictures: false,
            statesCost: false,
            maxConcurrentCalls: 4,
          },
          ollama: expect.objectContaining({ maxConcurrentCalls: 1 }),
        }),
        prices: {},
      },
      limits: {
        moderatorTimeoutMs: 120_000,
        sageTimeoutMs: 120_000,
        reviewTimeoutMs: 120_000,
        chairTimeoutMs: 180_000,
        quorumShare: 0.75,
        graceMs: 20_000,
        maxAnswerChars: 12_000,
        maxQuestionChars: 6000,
        contextMessages: 20,
        contextChars: 8000,
        sourceChars: 40_000,
        maxConcurrentTurns: 16,
        maxQueuedTurnsPerUser: 5,
        maxQueuedTurnsPerThread: 20,
        overheardPerThreadPerHour: 30,
        shutdownGraceMs: 10_000,
      },
      memory: {
        interactions: 3,
        history: 'summaries',
        reach: 'channel',
        memories: 10,
        budgetTokens: 4000,
        shardMinutes: 5,
        shardMessages: 10,
        forgetDeleted: true,
      },
      sources: { attachments: true, links: 'members' },
      budgets: {},
      access: {},
      store: { path: 'data/council.db' },
      discord: { apiUrl: 'https://discord.com/api', answerMissedMinutes: 30 },
      slack: {
        apiUrl: 'https://slack.com/api/',
        answerMissedMinutes: 30,
        http: { host: '127.0.0.1', port: 3000 },
      },
      web: { host: '127.0.0.1', origins: [], reasoningField: 'reasoning_content' },
      health: { host: '127.0.0.1' },
      log: { level: 'info' },
    });
  });
});

describe('what is in the file', () => {
  it('takes a value and leaves its neighbours at their defaults', () => {
    const { council } = load({ 'config/council.yaml': 'council:\n  depth: quick\n' }).settings;
    expect(council).toMatchObject({ depth: 'quick', maxSages: 4 });
  });

  it('reads files with Windows line ends and a byte order mark', () => {
    const text = '\uFEFFcouncil:\r\n  depth: quick\r\n  language: German\r\n';
    expect(load({ 'config/council.yaml': text }).settings.council).toMatchObject({
      depth: 'quick',
      language: 'German',
    });
  });

  it('overrides a predefined provider setting by setting', () => {
    const text = 'models:\n  providers:\n    openai: { baseUrl: http://127.0.0.1:9/v1 }\n';
    const { providers } = load({ 'config/council.yaml': text }).settings.models;
    expect(providers.openai).toMatchObject({
      baseUrl: 'http://127.0.0.1:9/v1',
      apiKeyEnv: 'OPENAI_API_KEY',
    });
    expect(providers.openrouter?.baseUrl).toBe('https://openrouter.ai/api/v1');
  });

  it('lets models name a provider that the file describes', () => {
    const text =
      'models:\n  chair: vllm:qwen3:8b\n  providers:\n    vllm: { baseUrl: http://127.0.0.1:8000/v1 }\n';
    const { models } = load({ 'config/council.yaml': text }).settings;
    expect(models.chair).toBe('vllm:qwen3:8b');
    expect(models.providers.vllm?.structuredOutput).toBe('json_schema');
  });
});

describe('where the health of the process is told', () => {
  const environment = { COUNCIL_HEALTH_HOST: '0.0.0.0' };
  const file = 'health: { port: 9000, host: 10.0.0.1 }\n';

  it('is this machine alone, or what an image says of itself', () => {
    expect(load({}).settings.health.host).toBe('127.0.0.1');
    expect(load({}, environment).settings.health).toEqual({ port: 8080, host: '0.0.0.0' });
  });

  it('is what the file names before all', () => {
    const { health } = load({ 'config/council.yaml': file }, environment).settings;
    expect(health).toEqual({ port: 9000, host: '10.0.0.1' });
  });
});

describe('a file of another name', () => {
  const files = { ...fallbackSage, 'config/quick.yaml': 'council: { depth: quick }' };

  it('is read in place of council.yaml, with the sages beside it', () => {
    const project = projectWith({ ...files, '.env': 'OPENAI_API_KEY=key' });
    const directory = join(project, 'config/quick.yaml');
    const { settings, sages, secrets } = loadConfig({ directory, environment: {} });
    expect(settings.council.depth).toBe('quick');
    expect(sages.map(({ key }) => key)).toEqual(['strategy_expert']);
    expect(secrets.names).toEqual(['OPENAI_API_KEY']);
  });

  it('has the sages that come with Council where there are none beside it', () => {
    const directory = join(projectWith({ 'etc/own.yaml': '' }), 'etc/own.yaml');
    const { sages } = loadConfig({ directory, environment: {} });
    expect(sages).toEqual(loadConfig({ directory: 'config', environment: {} }).sages);
  });

  it('has to be there', () => {
    const directory = join(projectWith(files), 'config/slow.yml');
    expect(() => loadConfig({ directory, environment: {} })).toThrow('slow.yml is missing.');
  });
});

describe('sages', () => {
  it('adds a sage for a file that is dropped in', () => {
    const ada =
      '---\nname: Ada\ndescription: Sees the engine.\nemoji: 🧮\navatarUrl: https://example.org/a.png\nmodel: openai:gpt-5\n---\n\nReason from mechanism.\n\nThen doubt.\n';
    const { sages } = load({ 'config/sages/ada.md': ada });
    expect(sages).toEqual([
      {
        key: 'ada',
        name: 'Ada',
        description: 'Sees the engine.',
        emoji: '🧮',
        avatarUrl: 'https://example.org/a.png',
        model: 'openai:gpt-5',
        prompt: 'Reason from mechanism.\n\nThen doubt.',
      },
      { key: 'strategy_expert', name: 'Strategy Expert', description: 'Weighs goals and means.' },
    ]);
  });

  it('reads a sage with Windows line ends and a byte order mark', () => {
    const text =
      '\uFEFF---\r\nname: Ada\r\ndescription: Sees the engine.\r\n---\r\nOne.\r\nTwo.\r\n';
    expect(load({ 'config/sages/ada.md': text }).sages[0]).toMatchObject({
      name: 'Ada',
      prompt: 'One.\nTwo.',
    });
  });

  it('keeps a ruled line in a prompt', () => {
    const text = '---\nname: Ada\ndescription: Sees the engine.\n---\nOne.\n\n---\n\nTwo.';
    expect(load({ 'config/sages/ada.md': text }).sages[0]?.prompt).toBe('One.\n\n---\n\nTwo.');
  });

  it('passes over hidden files and files that are not Markdown', () => {
    const { sages } = load({ 'config/sages/._ada.md': 'x', 'config/sages/notes.txt': 'x' });
    expect(sages.map(({ key }) => key)).toEqual(['strategy_expert']);
  });
});

describe('the shipped configuration', () => {
  const shipped = () => loadConfig({ directory: 'config', environment: {} });

  it('loads, with the defaults and nothing else', () => {
    expect(shipped().settings).toEqual(load({}).settings);
  });

  it('has examples that work when they are uncommented', () => {
    const shippedFiles = readdirSync('config/sages').map((name) => [
      `config/sages/${name}`,
      readFileSync(`config/sages/${name}`),
    ]);
    const text = readFileSync('config/council.yaml', 'utf8').replaceAll(
      /^( +)# ( *\w+: ?)/gm,
      '$1$2',
    );
    const { settings } = load({ ...Object.fromEntries(shippedFiles), 'config/council.yaml': text });
    expect(settings.models.sages).not.toEqual({});
    expect(settings.models.providers.vllm).toBeDefined();
    expect(settings.budgets.workspaceUsdPerDay).toBe(20);
  });

  it('brings sages enough to choose from, each with a picture of its own', () => {
    const { sages } = shipped();
    expect(sages.length).toBeGreaterThanOrEqual(12);
    expect(sages.map(({ key }) => key)).toEqual(
      expect.arrayContaining([
        'marcus_aurelius',
        'nassim_taleb',
        'naval_ravikant',
        'strategy_expert',
      ]),
    );
    expect(new Set(sages.map(({ emoji }) => emoji)).size).toBe(sages.length);
  });

  it('tailors every prompt, long enough to argue and short enough to read', () => {
    const outside = shipped().sages.flatMap(({ key, prompt = '' }) => {
      const words = prompt.split(/\s+/).length;
      return words >= 150 && words <= 350 ? [] : `${key} has ${words} words, not 150 to 350`;
    });
    expect(outside).toEqual([]);
  });
});

describe('the models that stand in', () => {
  it('are a list', () => {
    const text = 'models: { fallback: ["openai:a", "ollama:b:c"] }';
    const { fallback } = load({ 'config/council.yaml': text }).settings.models;
    expect(fallback).toEqual(['openai:a', 'ollama:b:c']);
  });
});
