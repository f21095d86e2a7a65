import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');

/**
 * Every room, with what it may import besides itself and node's own: files or folders of ours
 * (a trailing slash takes all below), and packages. What is not here is not allowed.
 */
/** What every room may import. */
const shared = ['src/domain/', 'src/settings/', 'src/waiting.ts'];

/** What every platform may know of the rest. */
const ofPlatforms = [
  'src/council/events.ts',
  'src/council/council.ts',
  'commands/command.ts',
  'src/charts/',
];
const platformFace = 'src/platforms/platform.ts';

const rooms: Readonly<
  Record<string, { readonly ours: readonly string[]; readonly packages: readonly string[] }>
> = {
  'src/domain': { ours: [], packages: ['zod'] },
  'src/settings': { ours: [], packages: ['zod', 'yaml'] },
  commands: {
    ours: ['src/council/', 'src/memory/', 'src/charts/', 'src/store/store.ts'],
    packages: ['zod'],
  },
  'src/council': {
    ours: ['src/models/chat-model.ts', 'src/models/structured.ts'],
    packages: ['zod'],
  },
  // What people attach and link.
  'src/sources': { ours: [], packages: ['ipaddr.js', 'parse5', 'unpdf', 'zod'] },
  'src/memory': {
    ours: [
      'src/models/chat-model.ts',
      'src/models/embeddings.ts',
      'src/models/structured.ts',
      'src/store/store.ts',
      'src/charts/',
      'src/pages/',
    ],
    packages: ['zod', '@orama/stemmers', '@orama/stopwords', 'franc-min', 'lru-cache'],
  },
  // A turn as HTML, for exports and for the web.
  'src/pages': { ours: ['src/charts/'], packages: ['zod', 'marked'] },
  'src/charts': { ours: [], packages: ['@resvg/resvg-js'] },
  'src/models': {
    ours: [],
    packages: ['openai', 'undici', 'zod', '@streamparser/json', '@pydantic/genai-prices'],
  },
  'src/store': { ours: [], packages: ['zod', '@redis/client', '@upstash/redis'] },
  'src/queue': {
    // How servers are addressed, and what they say.
    ours: [
      'src/store/redis/address.ts',
      'src/store/redis/commands.ts',
      'src/store/redis/connection.ts',
      'src/store/redis/errors.ts',
    ],
    packages: ['bullmq', 'ioredis', 'zod'],
  },
  'src/platforms/chat': {
    ours: [...ofPlatforms, platformFace],
    packages: ['lru-cache', 'marked', 'string-width', 'zod'],
  },
  'src/platforms/discord': {
    ours: [...ofPlatforms, platformFace, 'src/platforms/chat/'],
    packages: ['discord.js', 'lru-cache', 'zod'],
  },
  'src/platforms/slack': {
    ours: [...ofPlatforms, platformFace, 'src/platforms/chat/'],
    packages: ['@slack/bolt', '@slack/web-api', 'lru-cache', 'marked', 'undici', 'zod'],
  },
  'src/platforms/terminal': {
    ours: [...ofPlatforms, platformFace, 'src/platforms/chat/'],
    packages: ['marked', 'zod'],
  },
  'src/platforms/web': {
    ours: [
      ...[...ofPlatforms, platformFace, 'src/platforms/chat/'],
      // A turn as it is kept, for whom it was not told live.
      ...['src/council/past-turn.ts', 'src/council/receipt.ts'],
      'src/pages/',
      'src/council/leaderboard.ts',
    ],
    packages: [
      ...['hono', '@hono/node-server', '@hono/zod-openapi', 'zod'],
      ...['@modelcontextprotocol/server', 'lru-cache'],
    ],
  },
  'src/platforms': { ours: ofPlatforms, packages: [] },
  'src/bot': {
    ours: [
      'commands/',
      'src/council/',
      'src/memory/',
      'src/sources/',
      'src/models/chat-model.ts',
      'src/models/embeddings.ts',
      'src/models/prices.ts',
      'src/store/store.ts',
      'src/queue/queue.ts',
      'src/queue/coordination.ts',
      'src/platforms/platform.ts',
    ],
    packages: [],
  },
  'src/app': {
    ours: [''],
    packages: [
      ...['@clack/prompts', 'commander', 'lru-cache', 'pino', 'zod'],
      ...['@modelcontextprotocol/server', '@streamparser/json'],
    ],
  },
};

/** The room of a file: the longest name in the table that its path starts with. */
function roomOf(path: string): string | undefined {
  if (path === 'src/waiting.ts') return 'src/domain';
  if (path === 'src/index.ts') return 'src/app';
  return Object.keys(rooms)
    .filter((room) => path.startsWith(`${room}/`))
    .toSorted((one, other) => other.length - one.length)[0];
}

function sourceFiles(): readonly string[] {
  return ['commands', 'src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  );
}

const importing =
  /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?from\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g;

function importsOf(path: string, text: string): readonly string[] {
  return [...text.matchAll(importing)].map((match) => {
    const named = match[1] ?? match[2] ?? match[3] ?? '';
    return named.startsWith('.') ? relative(root, resolve(root, dirname(path), named)) : named;
  });
}

/** What is wrong with one import; `undefined` when it is allowed. */
function complaint(path: string, imported: string): string | undefined {
  const room = roomOf(path);
  if (!room) return `${path} is in no room of the table`;
  const allowed = rooms[room];
  const isWithin = [`${room}/`, ...shared].some((start) => imported.startsWith(start));
  if (imported.startsWith('node:') || isWithin) return undefined;
  const isOurs = /^(src|commands|test|bench)\//.test(imported);
  const isAllowed = isOurs
    ? allowed?.ours.some((name) =>
        name.endsWith('/') || name === '' ? imported.startsWith(name) : imported === name,
      )
    : allowed?.packages.some((name) => imported === name || imported.startsWith(`${name}/`));
  return isAllowed ? undefined : `${path} may not import ${imported}`;
}

/** The files of circles: what is left when files that import nothing, or that none imports, are taken away in turn. */
function inCircles(imports: ReadonlyMap<string, readonly string[]>): readonly string[] {
  let left = imports;
  while (true) {
    const imported = new Set([...left.values()].flat());
    const kept = [...left].filter(([path, names]) => names.length > 0 && imported.has(path));
    if (kept.length === left.size) return [...left.keys()];
    const paths = new Set(kept.map(([path]) => path));
    left = new Map(kept.map(([path, names]) => [path, names.filter((name) => paths.has(name))]));
  }
}

describe('the rooms of the design', () => {
  const files = sourceFiles();

  test('every source file is in a room, and imports only what its room may', () => {
    const complaints = files.flatMap((path) =>
      importsOf(path, readFileSync(join(root, path), 'utf8')).flatMap(
        (imported) => complaint(path, imported) ?? [],
      ),
    );
    expect(files.length).toBeGreaterThan(30);
    expect(complaints).toEqual([]);
  });

  test('no files import one another in a circle, not even for types', () => {
    const open = new Map(
      files.map((path) => {
        const imported = importsOf(path, readFileSync(join(root, path), 'utf8'));
        return [path, imported.filter((name) => files.includes(name))];
      }),
    );
    expect(
      inCircles(new Map([...open, ['src/a.ts', ['src/b.ts']], ['src/b.ts', ['src/a.ts']]])),
    ).toEqual(['src/a.ts', 'src/b.ts']);
    expect(inCircles(open)).toEqual([]);
  });

  test('the council knows no platform, store, queue or vendor', () => {
    expect(complaint('src/council/turn.ts', 'openai')).toBeDefined();
    expect(complaint('src/council/turn.ts', 'src/store/store.ts')).toBeDefined();
    expect(complaint('src/council/turn.ts', 'src/platforms/platform.ts')).toBeDefined();
    expect(complaint('src/council/turn.ts', 'src/models/openai/openai.ts')).toBeDefined();
    expect(complaint('src/somewhere/new.ts', 'node:fs')).toBeDefined();
    expect(complaint('src/council/turn.ts', 'src/models/chat-model.ts')).toBeUndefined();
  });

  test('a platform knows no other one', () => {
    const slack = 'src/platforms/slack/slack.ts';
    const chat = 'src/platforms/chat/handling-failures.ts';
    expect(complaint(slack, 'src/platforms/discord/discord.ts')).toBeDefined();
    expect(complaint(chat, slack)).toBeDefined();
    expect(complaint(slack, 'discord.js')).toBeDefined();
    expect(complaint(slack, chat)).toBeUndefined();
  });

  test('an import is found however it is written', () => {
    const text =
      "import a from './a.ts';\nimport {\n  b,\n} from '../b.ts';\nexport * from './c.ts';\nconst d = await import('./d.ts');\nimport 'e';";
    expect(importsOf('src/council/x.ts', text)).toEqual([
      'src/council/a.ts',
      'src/b.ts',
      'src/council/c.ts',
      'src/council/d.ts',
      'e',
    ]);
  });

  test('the environment is read only where the process begins', () => {
    const readers = files.filter((path) =>
      /process\.env\b/.test(readFileSync(join(root, path), 'utf8')),
    );
    expect(readers.filter((path) => path !== 'src/index.ts')).toEqual([]);
  });

  test('no file is near 400 lines', () => {
    const long = files
      .map((path) => `${readFileSync(join(root, path), 'utf8').split('\n').length} ${path}`)
      .filter((line) => Number.parseInt(line, 10) > 320);
    expect(long).toEqual([]);
  });
});
