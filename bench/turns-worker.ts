/**
 * One measurement, in a process of its own: a number of turns at once, either by the whole council
 * with its store, or by the bare openai SDK making the same eleven calls. Sends its figures to the parent.
 */

import { randomUUID } from 'node:crypto';
import OpenAI from 'openai';
import { z } from 'zod';
import {
  chairMessages,
  ownAnswerMessages,
  verdictShape,
} from '../src/council/prompts/chair-prompt.ts';
import { moderatorMessages, seatingShape } from '../src/council/prompts/moderator-prompt.ts';
import { reviewMessages } from '../src/council/prompts/review-prompt.ts';
import { sageMessages, sageShape } from '../src/council/prompts/sage-prompt.ts';
import type { ChatMessage } from '../src/models/chat-model.ts';
import { replyJsonSchema } from '../src/models/structured.ts';
import type { Platform } from '../src/platforms/platform.ts';
import { openBenchBot } from './bench-bot.ts';
import { benchCouncil, benchQuestion, benchSages } from './bench-council.ts';

const task = z
  .object({
    arm: z.enum(['council', 'bare']),
    baseUrl: z.string(),
    atOnce: z.number(),
    rounds: z.number(),
    warmUpRounds: z.number(),
  })
  .parse(JSON.parse(process.argv[2] ?? '{}'));

/**
 * Runs one turn to its end.
 *
 * @param person - Number of the one who asks: nobody asks twice at once.
 */
type RunTurn = (person: number) => Promise<void>;

async function measure(runTurn: RunTurn): Promise<void> {
  for (let round = 0; round < task.warmUpRounds; round += 1) await atOnce(runTurn, task.atOnce);
  const walls: number[] = [];
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  for (let round = 0; round < task.rounds; round += 1)
    walls.push(...(await atOnce(runTurn, task.atOnce)));
  const elapsedMs = performance.now() - startedAt;
  const cpu = process.cpuUsage(cpuBefore);
  process.send?.({
    walls,
    elapsedMs,
    cpuMsPerTurn: (cpu.user + cpu.system) / 1000 / walls.length,
    peakMemoryMb: process.resourceUsage().maxRSS / 1024,
  });
}

/** Wall time of each, in milliseconds. */
async function atOnce(runTurn: RunTurn, count: number): Promise<readonly number[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, person) => {
      const startedAt = performance.now();
      await runTurn(person);
      return performance.now() - startedAt;
    }),
  );
}

async function measureCouncil(): Promise<void> {
  const ended = new Map<string, () => void>();
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
    present: async ({ request }, events) => {
      for await (const event of events) {
        if (event.type !== 'ended') continue;
        if (event.end.outcome !== 'answered') throw new Error(event.end.explanation);
        ended.get(request.threadId)?.();
      }
    },
  };
  await using opened = await openBenchBot(task.baseUrl, () => platform);
  await measure(async (person) => {
    const threadId = `bench:w:c:${randomUUID()}`;
    const { promise, resolve } = Promise.withResolvers<void>();
    ended.set(threadId, resolve);
    await opened.bot.ask({
      threadId,
      eventId: threadId,
      question: benchQuestion,
      author: { id: `u${person}`, name: 'Uma' },
      askedAt: Date.now(),
    });
    await promise;
    ended.delete(threadId);
  });
}

async function measureBare(): Promise<void> {
  const client = new OpenAI({ baseURL: task.baseUrl, apiKey: 'none', maxRetries: 0 });
  const nothing = { forSages: [], forChair: [], forReviewers: [] };

  async function streamed(
    messages: readonly ChatMessage[],
    shape: { readonly name: string; readonly schema: z.ZodType },
  ): Promise<unknown> {
    const stream = await client.chat.completions.create({
      model: 'sages',
      messages: [...messages],
      stream: true,
      stream_options: { include_usage: true },
      response_format: {
        type: 'json_schema',
        json_schema: { name: shape.name, strict: true, schema: replyJsonSchema(shape.schema) },
      },
    });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    return JSON.parse(text);
  }

  async function whole(messages: readonly ChatMessage[]): Promise<string> {
    const reply = await client.chat.completions.create({ model: 'sages', messages: [...messages] });
    return reply.choices[0]?.message.content ?? '';
  }

  await measure(async () => {
    await streamed(moderatorMessages(benchQuestion, benchCouncil, nothing), seatingShape);
    const draft = whole(ownAnswerMessages(benchQuestion, benchCouncil, nothing));
    const answers = await Promise.all(
      benchSages.map(async (sage) => {
        const messages = sageMessages(
          sage,
          benchQuestion,
          `What does ${sage.key} see in it?`,
          benchCouncil,
          nothing,
        );
        const { answer, summary } = sageShape.schema.parse(await streamed(messages, sageShape));
        return {
          seat: { sage, model: 'sages' },
          answer: {
            sage: sage.key,
            status: 'answered' as const,
            answer,
            summary,
            model: 'sages',
            latencyMs: 0,
          },
          objections: [],
        };
      }),
    );
    const labelled = answers.map(({ answer }, index) => ({
      label: 'ABCD'[index] ?? '',
      answer: answer.answer,
    }));
    await Promise.all(
      benchSages.map((sage) =>
        whole(reviewMessages(sage, benchQuestion, labelled, benchCouncil, nothing, sage.key)),
      ),
    );
    await streamed(
      chairMessages(
        benchQuestion,
        { answers, missedByAll: [], ranking: undefined, draft: await draft },
        benchCouncil,
        nothing,
      ),
      verdictShape,
    );
  });
}

await (task.arm === 'council' ? measureCouncil() : measureBare());
process.disconnect();
