/** What the API takes and gives. The records of a turn are the domain's own schemas. */

import { z } from '@hono/zod-openapi';
import { receiptOf } from '../../../council/receipt.ts';
import { docketSchema, rebuttalSchema } from '../../../domain/docket.ts';
import { ratings } from '../../../domain/stored-turn.ts';
import { partsOf } from '../../../domain/thread-id.ts';
import {
  disagreementSchema,
  rankingSchema,
  reviewSchema,
  sageAnswerSchema,
  sageSchema,
  verdictSchema,
} from '../../../domain/turn.ts';
import { questionShape, threadName } from '../question.ts';
import type { WebTurn } from '../web-council.ts';

/** Names a schema in the document. Zod writes it: the generator takes `exactOptional` for required. */
export function named<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  // As of input: what it gives may have more fields one day, which output would rule out.
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input' });
  return schema.meta({ id, ...json });
}

const at = z.number().describe('Milliseconds since 1970');
export const errorBody = named(
  'Error',
  z.object({
    error: z.object({
      message: z.string().describe('For people: what was wrong, and what to do'),
      type: z.string().describe('For programs, e.g. invalid_request'),
    }),
  }),
);

export const questionBody = named('Question', z.strictObject(questionShape));

export const takenTurn = named(
  'TakenTurn',
  z.object({
    turnId: z.string(),
    thread: threadName,
    turnsBefore: z.number().describe('How many questions of the conversation come first'),
    isNew: z.boolean().describe('false: the same request was taken before, and this is its turn'),
  }),
);

/** Prompts belong to those who made them. */
const shownSage = sageSchema.omit({ prompt: true });

/** A turn as far as it has come; what is absent is not there yet, or never will be at its depth. */
export const turnBody = named(
  'Turn',
  z.object({
    turnId: z.string(),
    thread: threadName,
    question: z.string(),
    askedBy: z.string(),
    askedAt: at,
    status: z.enum(['queued', 'running', 'ended']),
    outcome: z.string().exactOptional().describe('answered, failed or stopped, once it has ended'),
    explanation: z.string().describe('Why it failed or was stopped, else empty'),
    endedAt: at.exactOptional(),
    sages: z.array(shownSage.extend({ model: z.string(), focus: z.string().exactOptional() })),
    answers: z.array(sageAnswerSchema),
    reviews: z
      .array(reviewSchema)
      .describe(
        'As they were written, each with the ballot as it was read, and who was behind which label',
      ),
    ranking: rankingSchema.exactOptional(),
    disagreement: disagreementSchema.exactOptional(),
    docket: docketSchema.exactOptional().describe('At depth deep: what contradicts what'),
    rebuttals: z.array(rebuttalSchema).describe('At depth deep'),
    secondBallots: z.array(reviewSchema).describe('At depth deep'),
    verdict: verdictSchema.exactOptional(),
    deepenedBy: z.string().exactOptional().describe('Id of the turn that goes deeper from it'),
    cost: z.object({
      usd: z.number(),
      calls: z.number(),
      callsWithoutCost: z.number().describe('Calls of unknown price, which usd leaves out'),
      inputTokens: z.number(),
      outputTokens: z.number(),
    }),
    stagesMs: z.record(z.string(), z.number()),
  }),
);
export type TurnBody = z.infer<typeof turnBody>;

export const threadsBody = named(
  'Threads',
  z.object({
    threads: z.array(
      z.object({
        thread: threadName,
        title: z.string().describe('The first question that is known of it'),
        askedAt: at.describe('When its last question was asked, in milliseconds since 1970'),
        turnIds: z.array(z.string()).describe('The newest first'),
      }),
    ),
  }),
);

/** The generator writes this one: zod would write out each turn in its place. */
export const historyBody = z
  .object({ thread: threadName, turns: z.array(turnBody).describe('The newest first') })
  .meta({ id: 'History' });

export const memoriesBody = named(
  'Memories',
  z.object({
    memories: z.array(
      z.object({ id: z.string(), text: z.string().describe('Who said it, when, and what') }),
    ),
  }),
);

export const sagesBody = named('Sages', z.object({ sages: z.array(shownSage) }));

export const settingsBody = named(
  'Settings',
  z.object({
    settings: z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        value: z.string().describe('As people read it'),
        origin: z.enum(['channel', 'server', 'mine', 'file']),
      }),
    ),
  }),
);

const share = z.object({ share: z.number(), from: z.number(), to: z.number() });
export const leaderboardBody = named(
  'Leaderboard',
  z.object({
    by: z.enum(['sage', 'model']),
    days: z.number(),
    turns: z.number(),
    ranked: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        turns: z.number(),
        won: share.describe('Of the comparisons with others, with its 95 % interval'),
        first: share.describe('Of the turns: first places'),
        ownPlaces: z.number().exactOptional(),
        reviews: z.number(),
        abstained: z.number(),
        feedback: z.record(z.enum(ratings), z.number()),
        costUsd: z.number(),
      }),
    ),
    unranked: z.array(z.object({ id: z.string(), name: z.string(), turns: z.number() })),
  }),
);

export const messagesBody = named(
  'Messages',
  z.strictObject({
    messages: z
      .array(
        z.strictObject({
          id: z
            .string()
            .min(1)
            .max(200)
            .describe('Unique in its conversation: a message that is sent twice is kept once'),
          thread: threadName,
          author: z.string().min(1).max(200),
          text: z.string().min(1).max(20_000),
          at: z.int().min(0).max(8_640_000_000_000_000).describe('Milliseconds since 1970'),
        }),
      )
      .min(1)
      .max(1000),
  }),
);

export const ingestedBody = named(
  'Ingested',
  z.object({
    added: z.number(),
    known: z.number().describe('Were there already'),
    expired: z.number().describe('Older than what is kept, and left out'),
  }),
);

/** Parsing leaves out what the document does not have, e.g. prompts. */
export function bodyOf({ past, ...turn }: WebTurn): TurnBody {
  const { turnId, threadId, status, outcome, endedAt, usage } = turn;
  const { request, seated, answers, reviews, ranked, round, verdict, deepenedBy } = past;
  const { explanation, stagesMs, totals } = receiptOf(past, outcome ?? status, usage);
  const { costUsd: usd, ...counts } = totals;
  return turnBody.parse({
    ...{ turnId, thread: partsOf(threadId).thread, status, explanation },
    ...{ question: request.question, askedBy: request.author.name, askedAt: request.askedAt },
    ...(outcome !== undefined && { outcome }),
    ...(endedAt !== undefined && { endedAt }),
    sages: (seated?.seats ?? []).map(({ sage, ...seat }) => ({ ...sage, ...seat })),
    ...{ answers, reviews },
    ...(ranked && { ranking: ranked.ranking }),
    ...(ranked?.disagreement && { disagreement: ranked.disagreement }),
    ...(round && { docket: round.docket }),
    ...{ rebuttals: round?.rebuttals ?? [], secondBallots: round?.recasts ?? [] },
    ...(verdict && { verdict }),
    ...(deepenedBy !== undefined && { deepenedBy }),
    ...{ cost: { usd, ...counts }, stagesMs },
  });
}
