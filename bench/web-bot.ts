/** The bot of the web bench, in a process of its own: `{modelUrl}` as JSON. Tells its address, and its memory when asked. */

import { z } from 'zod';
import { webRecords, webShares } from '../src/app/web-records.ts';
import { silentLog } from '../src/domain/log.ts';
import { createWeb, type Web } from '../src/platforms/web/web.ts';
import { keysIn } from '../test/platforms/web/keys-in.ts';
import { openBenchBot } from './bench-bot.ts';

const { modelUrl } = z.object({ modelUrl: z.string() }).parse(JSON.parse(process.argv[2] ?? '{}'));
let web: Web | undefined;
{
  await using _bot = await openBenchBot(modelUrl, (store) => {
    web = createWeb({
      host: '127.0.0.1',
      port: 0,
      log: silentLog,
      records: webRecords(store),
      shares: webShares(store, Date.now),
      keys: keysIn(store.settings),
      sessionSecret: async () => 'of a bench, where nobody signs in at all',
      v1: {
        reasoningField: 'reasoning_content',
        limits: {
          contextMessages: 20,
          contextChars: 8000,
          sourceChars: 40_000,
          maxQuestionChars: 6000,
        },
      },
    });
    return web;
  });
  process.send?.(web?.address());
  const ended = Promise.withResolvers<void>();
  process.on('message', (asked) => {
    if (asked === 'end') return ended.resolve();
    // What is let go of in one round is freed in the next.
    for (let round = 0; round < 3; round += 1) globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    process.send?.({ bytes: heapUsed + external });
  });
  process.on('disconnect', () => ended.resolve());
  await ended.promise;
}
if (process.connected) process.disconnect();
