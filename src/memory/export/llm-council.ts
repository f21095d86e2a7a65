/**
 * Reads a conversation file of LLM Council: questions, and for each what the models answered, how they
 * ranked each other, and what the chairman made of it.
 *
 * They become messages without a turn id: a question and all that follows up to the next one belong together.
 */

import { z } from 'zod';
import type { ArchivedMessage, ArchivedThread } from './archive.ts';

const answerSchema = z.object({ model: z.string().min(1), response: z.string() });
const reviewSchema = z.object({
  model: z.string().min(1),
  /** The whole review as it was written. */
  ranking: z.string(),
  /** Labels, best first. */
  parsed_ranking: z.array(z.string()).nullish(),
});

const messageSchema = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user'), content: z.string() }),
  z
    .object({
      role: z.literal('assistant'),
      content: z.string().nullish(),
      stage1: z.array(answerSchema).nullish(),
      stage2: z.array(reviewSchema).nullish(),
      stage3: answerSchema.nullish(),
      metadata: z.object({ label_to_model: z.record(z.string(), z.string()).nullish() }).nullish(),
    })
    .refine(({ content, stage1, stage3 }) => content != null || stage1 != null || stage3 != null, {
      error: 'expected content, stage1 or stage3',
    }),
]);

export const conversationSchema = z.object({
  id: z.string().regex(/^[\p{L}\p{N}._-]{1,64}$/u, 'expected letters, digits, dots and dashes'),
  created_at: z.string().transform((text, context) => {
    // Written by Python: UTC, and without saying so.
    const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/i.test(text);
    const created = Date.parse(hasZone ? text : `${text}Z`);
    if (created >= 0) return created;
    context.addIssue({ code: 'custom', message: 'expected a time such as 2025-11-22T21:53:07' });
    return z.NEVER;
  }),
  messages: z.array(messageSchema),
});
/** A conversation; `created_at` in milliseconds since 1970. */
export type LlmCouncilConversation = z.infer<typeof conversationSchema>;
type Deliberated = Extract<LlmCouncilConversation['messages'][number], { role: 'assistant' }>;

/** Who speaks where the file names no model. */
const chairman = 'chairman';
/** The model that LLM Council names when none has answered. */
const noModel = 'error';

/**
 * The thread that a conversation becomes. The same file makes the same messages, with the same ids.
 *
 * @param choices.summarise - An answer in short, for later prompts.
 * @param choices.askedBy - The id of the person whose questions they are; absent: unknown.
 */
export function threadOfConversation(
  { id, created_at: createdAt, messages }: LlmCouncilConversation,
  threadId: string,
  {
    summarise,
    askedBy,
  }: { readonly summarise: (answer: string) => string; readonly askedBy?: string },
): ArchivedThread {
  const said = messages.flatMap((message, index) => {
    const at = `llm-council:${id}:${index}`;
    if (message.role === 'user') return [question(at, message.content, askedBy)];
    return spokenIn(message).map(({ name, ...spoken }) =>
      answer(`${at}:${name}`, spoken, summarise),
    );
  });
  // The file has one time for all of it: a millisecond each keeps their order.
  const timed = said.map((message, index) => ({ ...message, createdAt: createdAt + index }));
  return { threadId, turns: [], messages: timed };
}

interface Spoken {
  /** Tells it apart from the others of its message. */
  readonly name: string;
  readonly sage: string;
  readonly model?: string;
  readonly text: string;
  readonly review?: { readonly text: string; readonly ranking: readonly string[] };
}

function spokenIn(message: Deliberated): readonly Spoken[] {
  const answers = (message.stage1 ?? []).map(({ model, response }, index): Spoken => {
    const review = message.stage2?.find((one) => one.model === model);
    return {
      ...{ name: `answer-${index}`, sage: model, model, text: response },
      ...(review && { review: { text: review.ranking, ranking: rankedModels(review, message) } }),
    };
  });
  const { stage3, content } = message;
  if (stage3) {
    const { model, response } = stage3;
    return [...answers, { name: chairman, sage: chairman, model, text: response }];
  }
  return content == null
    ? answers
    : [...answers, { name: chairman, sage: chairman, text: content }];
}

/** Without metadata, labels are in the order of the answers: A for the first one. */
function rankedModels(
  review: z.infer<typeof reviewSchema>,
  { stage1, metadata }: Deliberated,
): readonly string[] {
  const inOrder = (stage1 ?? []).map(
    ({ model }, index) => [`Response ${String.fromCharCode(65 + index)}`, model] as const,
  );
  const models = new Map([...inOrder, ...Object.entries(metadata?.label_to_model ?? {})]);
  return (review.parsed_ranking ?? []).map((label) => models.get(label) ?? label);
}

type Untimed = Omit<ArchivedMessage, 'createdAt'>;

function question(id: string, text: string, askedBy: string | undefined): Untimed {
  const content = { type: 'user_query', text, ...(askedBy !== undefined && { askedBy }) };
  return { id, role: 'human', type: 'user_query', content };
}

function answer(
  id: string,
  { sage, model, text, review }: Omit<Spoken, 'name'>,
  summarise: (answer: string) => string,
): Untimed {
  const content = {
    ...{ type: 'sage_output', sage, answer: text, summary: summarise(text) },
    status: model === noModel ? 'failed' : 'answered',
    ...(model !== undefined && { model }),
    ...(review && { review }),
  };
  return { id, role: 'ai', type: 'sage_output', sage, content };
}
