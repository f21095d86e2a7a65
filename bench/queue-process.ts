/**
 * One process of the fleet that is measured: a bot in the role of a worker or of a gateway, on a Redis
 * server, whose models take a fixed time and whose platform shows nothing.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { ChatModel, ChatReply, ChatRequest } from '../src/models/chat-model.ts';
import type { Platform } from '../src/platforms/platform.ts';
import { openShared } from '../src/queue/bullmq.ts';
import { openRedisStore } from '../src/store/redis.ts';
import { makeBenchBot, oneModel } from './bench-bot.ts';
import { benchQuestion, benchSages } from './bench-council.ts';

/** What the process is started with. */
export const taskSchema = z.object({
  url: z.string(),
  role: z.enum(['gateway', 'worker']),
  /** How many threads a worker serves at once. */
  concurrency: z.number(),
  /** What each model call takes, in milliseconds; 0: it answers at once. */
  modelMs: z.number(),
});

/** What a gateway is told to ask: so many questions in so many threads, all at once. */
export const askSchema = z.object({ turns: z.number(), threads: z.number() });

const task = taskSchema.parse(JSON.parse(process.argv[2] ?? '{}'));

const words = 'What decides this is how costly it would be to be wrong. ';
const replies: Readonly<Record<string, string>> = {
  moderator: JSON.stringify({
    focus: benchSages.map(({ key }) => ({ sage: key, query: words })),
    predefined_chosen_sages: benchSages.map(({ key }) => key),
    new_sages_to_create: [],
  }),
  sage: JSON.stringify({ answer: words.repeat(12), summary: words }),
  review: `${words}\n\nFINAL RANKING:\n1. Response B\n2. Response A\n3. Response D\n4. Response C`,
  verdict: JSON.stringify({
    verdict: words.repeat(8),
    consensus: [words],
    disagreements: [words],
    minority_report: '',
    confidence: 'medium',
  }),
};

async function replyTo({ stage }: ChatRequest): Promise<ChatReply> {
  // The first call of a turn is its moderator's.
  if (stage === 'moderator') process.send?.({ calledAt: Date.now() });
  if (task.modelMs > 0) await delay(task.modelMs);
  const usage = { inputTokens: 100, outputTokens: 100, reasoningTokens: 0 };
  return { text: replies[stage] ?? '{}', reasoning: '', finishReason: 'stop', usage };
}

const model: ChatModel = {
  id: 'bench:model',
  complete: replyTo,
  async *stream(request) {
    const reply = await replyTo(request);
    yield { type: 'text', text: reply.text };
    yield { type: 'finished', reply };
  },
};

const platform: Platform = {
  name: 'bench',
  start: async () => undefined,
  stop: async () => undefined,
  retract: async () => undefined,
  redraw: async () => undefined,
  post: async () => undefined,
  unpost: async () => undefined,
  hear: async () => undefined,
  openFile: async () => ({ status: 'withheld', why: 'there are no files here' }) as const,
  isIn: async () => true,
  linkTo: () => undefined,
  present: async (_turn, events) => {
    for await (const event of events) {
      if (event.type === 'ended') process.send?.({ ended: event.end.outcome });
    }
  },
};
const ignore = () => undefined;
const fail = (facts: object, sentence: string) =>
  process.stderr.write(`${sentence} ${JSON.stringify(facts)}\n`);
const log = { info: ignore, warn: fail, error: fail, child: () => log };

const store = await openRedisStore({ url: task.url });
const shared = await openShared({
  url: task.url,
  name: 'the server',
  concurrency: task.concurrency,
  log,
  unfinished: async () => [],
});
const bot = await makeBenchBot({
  ...shared,
  store,
  log,
  role: task.role,
  commands: [],
  openModels: () => oneModel(model),
  platforms: async () => [platform],
  limits: {
    maxQuestionChars: 6000,
    maxQueuedTurnsPerUser: 100_000,
    overheardPerThreadPerHour: 30,
    maxQueuedTurnsPerThread: 100_000,
  },
});
await bot.start();
process.on('message', async (message) => {
  const { turns, threads } = askSchema.parse(message);
  await Promise.all(
    Array.from({ length: turns }, (_, index) => {
      const eventId = randomUUID();
      const threadId = `bench:w${index % 4}:c${index % 8}:t${index % threads}`;
      const author = { id: `u${index % threads}`, name: 'Uma' };
      return bot.ask({ threadId, eventId, question: benchQuestion, author, askedAt: Date.now() });
    }),
  );
});
process.on('disconnect', () => process.exit());
process.send?.({ ready: true });
