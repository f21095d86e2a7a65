import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../../src/app/operator/command-line.ts';

const read = (...argv: readonly string[]) => parseArguments(argv, '1.2.3');

/** What is printed, and whether it is a mistake. */
function printed(...argv: readonly string[]) {
  const invocation = read(...argv);
  if (invocation.task !== 'print')
    throw new Error(`It is understood: ${JSON.stringify(invocation)}`);
  return invocation;
}

describe('the command line', () => {
  it('without anything means a conversation', () => {
    expect(read()).toEqual({ task: 'chat' });
    expect(read('--config', 'mine')).toEqual({ task: 'chat', configFolder: 'mine' });
    expect(read('chat')).toEqual({ task: 'chat', isHere: true });
    expect(read('chat', '--thread', 'work')).toEqual({ task: 'chat', thread: 'work' });
  });

  it('takes a question in one word or many, with its options anywhere', () => {
    expect(read('ask', 'How should I live?')).toEqual({
      task: 'ask',
      question: 'How should I live?',
      choice: {},
      attach: [],
      json: false,
    });
    const options = ['--depth', 'quick', '--sages', 'marcus_aurelius, nassim_taleb', '--json'];
    expect(read('ask', ...options, 'how', 'now', '--thread', 'work', '--config', 'mine')).toEqual({
      task: 'ask',
      question: 'how now',
      choice: { depth: 'quick', sages: ['marcus_aurelius', 'nassim_taleb'] },
      attach: [],
      thread: 'work',
      json: true,
      configFolder: 'mine',
    });
  });

  it('takes a question that looks like an option after two dashes', () => {
    expect(read('ask', '--', '--why')).toMatchObject({ question: '--why' });
  });

  it('takes the commands of the council, and the doctor', () => {
    expect(read('sages')).toEqual({ task: 'command', command: 'sages', options: {} });
    expect(read('receipt')).toEqual({ task: 'command', command: 'receipt', options: {} });
    expect(read('receipt', '--show', 'reasoning')).toEqual({
      task: 'command',
      command: 'receipt',
      options: { show: 'reasoning' },
    });
    expect(read('receipt', 'abc', '--thread', 'work')).toEqual({
      task: 'command',
      command: 'receipt',
      options: { turn: 'abc' },
      thread: 'work',
    });
    expect(read('doctor')).toEqual({ task: 'doctor', reach: 'all' });
    expect(read('doctor', '--no-models')).toEqual({ task: 'doctor', reach: 'chats' });
    expect(read('doctor', '--offline')).toEqual({ task: 'doctor', reach: 'here' });
    expect(read('health')).toEqual({ task: 'health' });
    expect(read('mcp')).toEqual({ task: 'mcp' });
  });

  it('takes keys to be made, listed and withdrawn', () => {
    expect(read('keys')).toEqual({ task: 'keys', action: 'list' });
    expect(read('keys', 'make', 'Open WebUI')).toEqual({
      task: 'keys',
      action: 'make',
      key: {
        name: 'Open WebUI',
        workspace: 'main',
        scopes: ['ask', 'read'],
        limits: {},
        requestsPerMinute: 120,
      },
    });
    const limits = ['--usd-per-day', '2.5', '--questions-at-once', '3', '--may', 'ask,ingest'];
    expect(read('keys', 'make', 'x', '--workspace', 'team', ...limits)).toMatchObject({
      key: {
        workspace: 'team',
        scopes: ['ask', 'ingest'],
        limits: { usdPerDay: 2.5, openQuestions: 3 },
      },
    });
    expect(read('keys', 'withdraw', 'ab12')).toEqual({
      task: 'keys',
      action: 'withdraw',
      id: 'ab12',
    });
    for (const wrong of [
      ['--may', 'everything'],
      ['--usd-per-day', '-1'],
      ['--workspace', 'a:b'],
    ]) {
      expect(printed('keys', 'make', 'x', ...wrong).text).toContain('Expected');
    }
  });

  it('the page is opened on the port that is named, and on no other word', () => {
    expect(read('web')).toEqual({ task: 'web' });
    expect(read('web', '--port', '9000')).toEqual({ task: 'web', port: 9000 });
    expect(printed('web', '--port', 'http')).toMatchObject({ exitCode: 2 });
  });

  it('takes a trial of the chats in channels that are named', () => {
    expect(read('try-live', '--discord-channel', '1214567890123456789')).toEqual({
      task: 'try-live',
      channels: { discord: '1214567890123456789' },
    });
    expect(read('try-live', '--slack-channel', 'C012AB3CD')).toEqual({
      task: 'try-live',
      channels: { slack: 'C012AB3CD' },
    });
    expect(printed('try-live')).toMatchObject({
      exitCode: 2,
      text: expect.stringContaining('--discord-channel ID'),
    });
    expect(printed('try-live', '--slack-channel', '#general').text).toContain('e.g. C012AB3CD');
    expect(printed('try-live', '--discord-channel', 'general').exitCode).toBe(2);
  });

  it('takes the set-up, by questions or by options', () => {
    expect(read('setup')).toEqual({ task: 'setup', options: { isYes: false } });
    const options = ['--provider', 'openai', '--key-env', 'MY_KEY', '--model', 'm', '--yes'];
    expect(read('setup', ...options, '--sage-models', 'a:b, c:d')).toEqual({
      task: 'setup',
      options: {
        provider: 'openai',
        keyEnv: 'MY_KEY',
        model: 'm',
        sageModels: ['a:b', 'c:d'],
        isYes: true,
      },
    });
    expect(read('setup', '--address', 'sk-abc')).toMatchObject({ task: 'print', exitCode: 2 });
  });

  it('takes what an operator wants of the queue', () => {
    expect(read('queue')).toEqual({ task: 'queue', action: 'look', isJson: false });
    expect(read('queue', 'dead', '--json')).toEqual({
      task: 'queue',
      action: 'dead',
      isJson: true,
    });
    expect(read('queue', 'retry', 'all')).toMatchObject({ action: 'retry', turn: 'all' });
    expect(read('queue', 'drop', 'abc')).toMatchObject({ action: 'drop', turn: 'abc' });
    expect(printed('queue', 'retry')).toMatchObject({
      exitCode: 2,
      text: expect.stringContaining('`queue retry ID`, or `queue retry all`'),
    });
    expect(printed('queue', 'forget').exitCode).toBe(2);
  });

  it('takes what an operator wants of a store', () => {
    expect(read('store', 'copy', '--from', 'sqlite:data/a.db', '--to', 'redis://host/1')).toEqual({
      task: 'store',
      action: 'copy',
      from: { kind: 'sqlite', path: 'data/a.db' },
      to: { kind: 'redis', url: 'redis://host/1' },
    });
    expect(read('store', 'copy', '--to', 'sqlite', '--from', 'upstash')).toMatchObject({
      from: { kind: 'upstash' },
      to: { kind: 'sqlite' },
    });
    expect(read('store', 'check')).toEqual({ task: 'store', action: 'check' });
    const url = 'redis+cluster://one:6379,two:6379';
    expect(read('store', 'check', '--store', url)).toMatchObject({ store: { kind: 'redis', url } });
    expect(read('store', 'check', '--store', 'redis')).toMatchObject({ store: { kind: 'redis' } });
    expect(printed('store')).toMatchObject({ exitCode: 2, text: expect.stringContaining('copy') });
  });

  it('says what a store is named by, and repeats no password', () => {
    for (const wrong of ['http://me:secret@host', 'reddis://:secret@host', 'sqlite:']) {
      const { exitCode, text } = printed('store', 'copy', '--from', wrong, '--to', 'redis');
      expect(exitCode).toBe(2);
      expect(text).toMatch(/--from must name a store: sqlite:FILE/);
      expect(text).not.toContain('secret');
    }
    expect(printed('store', 'copy', '--from', 'redis').text).toMatch(/--to must name a store/);
    expect(printed('store', 'check', '--store', 'x').text).toMatch(/--store must name a store/);
  });

  it('takes a conversation along, and files to bring back', () => {
    expect(read('export')).toEqual({
      task: 'export',
      scope: 'thread',
      format: 'markdown',
      folder: '.',
    });
    const options = ['--format', 'html', '--scope', 'channel', '--out', 'files'];
    expect(read('export', 'discord:1:2:3', ...options)).toEqual({
      task: 'export',
      thread: 'discord:1:2:3',
      scope: 'channel',
      format: 'html',
      folder: 'files',
    });
    expect(read('import', 'a.json', 'b.json', '--into', 'work')).toEqual({
      task: 'import',
      files: ['a.json', 'b.json'],
      into: 'work',
    });
    expect(printed('export', 'discord:1').text).toContain('platform:workspace:channel:thread');
    expect(printed('export', '--format', 'pdf').exitCode).toBe(2);
    expect(printed('import')).toMatchObject({
      exitCode: 2,
      text: expect.stringContaining("missing required argument 'files'"),
    });
  });

  it('finds a person, takes along what they asked, and has it forgotten when that is confirmed', () => {
    const found = { task: 'person', who: 'ada', action: 'find', isConfirmed: false };
    expect(read('person', 'ada')).toEqual({ ...found, format: 'markdown', folder: '.' });
    expect(read('person', 'U7', 'export', '--format', 'json', '--out', 'files')).toMatchObject({
      action: 'export',
      format: 'json',
      folder: 'files',
    });
    const forgotten = { who: 'U7', action: 'forget', isConfirmed: true };
    expect(read('person', 'U7', 'forget', '--confirm')).toMatchObject(forgotten);
    expect(printed('person', 'U7', 'delete').text).toContain('export, forget');
    expect(printed('person').exitCode).toBe(2);
  });

  it.each([['--help'], ['help'], ['-h']])('lists everything for %s', (word) => {
    const { text, exitCode } = printed(word);
    expect(exitCode).toBe(0);
    for (const name of [
      'chat',
      'ask',
      'sages',
      'receipt',
      'store',
      'doctor',
      'help',
      '--config',
      '--version',
    ]) {
      expect(text).toContain(name);
    }
  });

  it('explains one command', () => {
    expect(printed('help', 'ask').text).toContain('--depth <depth>');
    expect(printed('ask', '--help')).toMatchObject({ exitCode: 0 });
    expect(printed('help', 'ask').text).toContain('Usage: npm run council -- ask ');
  });

  it('prints the version', () => {
    expect(printed('--version')).toEqual({ task: 'print', text: '1.2.3\n', exitCode: 0 });
  });

  it.each([
    ['an unknown command', ['recipt'], 'Did you mean receipt?'],
    ['help for an unknown command', ['help', 'recipt'], 'Did you mean receipt?'],
    ['an unknown option', ['ask', 'why', '--jsn'], 'Did you mean --json?'],
    ['a question that is missing', ['ask'], "missing required argument 'question'"],
    ['a question that is empty', ['ask', ' '], 'the question is empty'],
    [
      'an unknown depth',
      ['ask', 'why', '--depth', 'deepest'],
      'Allowed choices are quick, standard, deep, auto.',
    ],
    [
      'sages that are no keys',
      ['ask', 'why', '--sages', 'Marcus Aurelius'],
      'e.g. marcus_aurelius,',
    ],
    ['no sages', ['ask', 'why', '--sages', ','], 'e.g. marcus_aurelius,'],
    ['a thread that is no name', ['chat', '--thread', 'a:b'], 'Expected up to 64 letters'],
    ['an option without its value', ['--config'], 'argument missing'],
    ['an unknown command for keys', ['keys', 'mak'], 'Allowed choices are make, withdraw.'],
    ['words that belong nowhere', ['sages', 'all'], 'too many arguments'],
  ])('says what is wrong with %s, and ends with 2', (_what, argv, message) => {
    const { text, exitCode } = printed(...argv);
    expect(exitCode).toBe(2);
    expect(text).toContain(message);
    expect(text).toContain('Run with --help to see the commands.');
  });
});
