/** The bodies of the API, and how routes describe them. The records of a turn are the domain's own schemas. */

import { type OpenAPIHono, z } from '@hono/zod-openapi';
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
import type { WebEnv } from '../caller.ts';
import {
  ingested,
  ingestedMessage,
  listedThread,
  questionShape,
  threadName,
} from '../question-fields.ts';
import type { WebTurn } from '../web-council.ts';

export type Api = OpenAPIHono<WebEnv>;

/** Describes a JSON response. */
export function jsonOf<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, content: { 'application/json': { schema } } } as const;
}

/** Describes a required JSON request body. */
export function bodyIn<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { ...jsonOf(description, schema), required: true } as const;
}

/** Describes a response that is not JSON. */
export function contentOf(mediaType: string, description: string) {
  return { description, content: { [mediaType]: { schema: z.string() } } };
}

/** Names a schema in the OpenAPI document. Zod writes it, because the generator treats `exactOptional` as required. */
export function named<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  // `output` would forbid additional fields, and responses may get more fields later.
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input' });
  return schema.meta({ id, ...json });
}

export const turnPath = z.object({
  turn: z.string().min(1).max(200).describe('Id of a turn'),
});

const at = z.number().describe('Milliseconds since 1970');
const errorBody = named(
  'Error',
  z.object({
    error: z.object({
      message: z.string().describe('For people: what was wrong and how to fix it'),
      type: z.string(),
      code: z.string().describe('For programs, e.g. invalid_request'),
      param: z.string(),
    }),
  }),
);

/** The response of every route that fails. */
export const failed = jsonOf('What was wrong, in words', errorBody);

export const questionBody = named('Question', z.strictObject(questionShape));

export const acceptedTurn = named(
  'TakenTurn',
  z.object({
    turnId: z.string(),
    thread: threadName,
    turnsBefore: z.number().describe('How many questions of the conversation are ahead of it'),
    isNew: z.boolean().describe('false: a repeated request; this is the turn of the first one'),
  }),
);

/** Without the prompt, which is its author's own. */
const shownSage = sageSchema.omit({ prompt: true });

/** A turn so far. Absent fields are not available yet, or not at this depth. */
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
      .describe('The original texts, each with the ballot as read and the sages behind the labels'),
    ranking: rankingSchema.exactOptional(),
    disagreement: disagreementSchema.exactOptional(),
    docket: docketSchema
      .exactOptional()
      .describe('At depth deep: the contradictions between the answers'),
    rebuttals: z.array(rebuttalSchema).describe('At depth deep'),
    secondBallots: z.array(reviewSchema).describe('At depth deep'),
    verdict: verdictSchema.exactOptional(),
    deepenedBy: z.string().exactOptional().describe('Id of the turn that takes this one deeper'),
    cost: z.object({
      usd: z.number(),
      calls: z.number(),
      callsWithoutCost: z.number().describe('Calls with an unknown price, not included in usd'),
      inputTokens: z.number(),
      outputTokens: z.number(),
    }),
    stagesMs: z.record(z.string(), z.number()),
  }),
);

export const threadsBody = named('Threads', z.object({ threads: z.array(listedThread) }));

/** Written by the generator: Zod would inline the schema of the turns. */
export const historyBody = z
  .object({ thread: threadName, turns: z.array(turnBody).describe('Newest first') })
  .meta({ id: 'History' });

export const memoriesBody = named(
  'Memories',
  z.object({
    memories: z.array(
      z.object({ id: z.string(), text: z.string().describe('Who said what, and when') }),
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
        won: share.describe('Share of won comparisons with others, with the 95 % interval'),
        first: share.describe('Share of turns with a first place'),
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
  z.strictObject({ messages: z.array(ingestedMessage).min(1).max(1000) }),
);

export const ingestedBody = named('Ingested', ingested);

/** The body of a turn. Parsing drops fields that the schema doesn't have, e.g. prompts. */
export function bodyOf({ past, ...turn }: WebTurn) {
  const { turnId, threadId, status, outcome, endedAt, usage } = turn;
  const { request, seated, answers, reviews, ranked, round, verdict, deepenedBy } = past;
  const { explanation, stagesMs, totals } = receiptOf(past, outcome ?? status, usage);
  const { costUsd: usd, ...counts } = totals;
  return turnBody.parse({
    turnId,
    thread: partsOf(threadId).thread,
    status,
    explanation,
    question: request.question,
    askedBy: request.author.name,
    askedAt: request.askedAt,
    ...(outcome !== undefined && { outcome }),
    ...(endedAt !== undefined && { endedAt }),
    sages: (seated?.seats ?? []).map(({ sage, ...seat }) => ({ ...sage, ...seat })),
    answers,
    reviews,
    ...(ranked && { ranking: ranked.ranking }),
    ...(ranked?.disagreement && { disagreement: ranked.disagreement }),
    ...(round && { docket: round.docket }),
    rebuttals: round?.rebuttals ?? [],
    secondBallots: round?.recasts ?? [],
    ...(verdict && { verdict }),
    ...(deepenedBy !== undefined && { deepenedBy }),
    cost: { usd, ...counts },
    stagesMs,
  });
}
