import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { type TestKind, testsByKind } from './test/kinds.ts';

if (!process.version.startsWith('v24.')) {
  throw new Error(
    `The tests need Node 24 and were started on ${process.version}. Run \`npm test\`: it installs Node 24 beside the project and uses it.`,
  );
}

/**
 * Tests that wait for sockets and other processes see these late on a machine that is busy with something
 * else. One that passes only when it is tried again is named in the report (“retry x1”), and is to be mended.
 */
const again = { retry: 1 } as const;

const tests = testsByKind(import.meta.dirname);
const cores = availableParallelism();

/**
 * Some start several processes, one after another, which takes four seconds alone and, on a slow machine, may take a
 * minute beside the others.
 */
const withRedis = {
  maxWorkers: 3 * cores,
  globalSetup: 'test/redis-setup.ts',
  testTimeout: 120_000,
  expect: { poll: { timeout: 50_000 } },
} as const;

/** Of its kind, what takes two minutes begins first: at the end, nothing would run beside it. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => moduleId.endsWith('/fresh-clone.test.ts');
    return sorted.toSorted((one, other) => Number(isLong(other)) - Number(isLong(one)));
  }
}

/** @param groupOrder - Kinds of a lower one have ended before it begins. */
function projectOf(
  name: TestKind,
  groupOrder: number,
  options: TestProjectInlineConfiguration['test'] = {},
): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: { name, include: [...tests[name]], sequence: { groupOrder }, ...options },
  };
}

export default defineConfig({
  test: {
    maxWorkers: cores,
    // Half of the CPU would go into workers and into loading the same modules again.
    isolate: false,
    setupFiles: 'test/own-fetch.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What is waited for comes within a second, but not beside everything else on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    sequence: { sequencer: LongestFirst },
    // Processes of the tests start with half the CPU.
    env: { NODE_COMPILE_CACHE: `${import.meta.dirname}/node_modules/.cache/council` },
    coverage: {
      include: ['src/**/*.ts', 'commands/**/*.ts'],
      thresholds: { lines: 85 },
      reporter: ['text-summary', 'html'],
    },
    projects: [
      // Some wait for timers: 49 s with two workers a core, 64 s with one.
      projectOf('fast', 1, { maxWorkers: 2 * cores }),
      // They wait for sockets and timers more than they compute.
      projectOf('platform', 2, { ...again, maxWorkers: 3 * cores, testTimeout: 60_000 }),
      projectOf('server', 3, { ...again, ...withRedis }),
      // At the end: a fleet's Redis server must not wait for a disk to which npm writes packages.
      projectOf('outage', 4, { ...again, ...withRedis }),
    ],
  },
});
