/**
 * A process that is not through with its work when it is asked to end: `node ending-process.ts
 * <orderlyMs>`. A thread of it is within SQLite for hours.
 */

import { DatabaseSync } from 'node:sqlite';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { listenForSignals } from '../../../src/app/operator/ending.ts';

if (isMainThread) {
  const ending = listenForSignals(Number(process.argv[2]), false);
  ending.onInterrupt((signal) => process.stdout.write(`asked by ${signal}\n`));
  const thread = new Worker(new URL(import.meta.url));
  thread.once('message', (text) => process.stdout.write(`${text}\n`));
} else {
  parentPort?.postMessage('at work');
  new DatabaseSync(':memory:').exec(`
    WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers)
    SELECT count(*) FROM numbers`);
}
