import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

if (!process.version.startsWith('v24.')) {
  throw new Error(
    `The tests need Node 24 and were started on ${process.version}. Run \`npm test\`: it installs Node 24 beside the project and uses it.`,
  );
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // More than by default on few cores: many tests wait for other processes more than they compute.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    globalSetup: 'test/redis-setup.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
