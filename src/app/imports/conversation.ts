/**
 * Reads conversation files of LLM Council and its forks: questions, each with the models' answers, their
 * reviews of each other, and the chairman's synthesis.
 *
 * The forks use different names: an answer is a `response`, a `content` or an `answer`; its author a `model`,
 * or an agent with a title or a role; a stage is a list of entries, or an object with the models as keys.
 */

import { z } from 'zod';

const text = z.string().nullish();
/** A contribution to a stage. */
const entrySchema = z
  .looseObject({
    model: text,
    agent_title: text,
    title: text,
    name: text,
    role: text,
    response: text,
    content: text,
    answer: text,
    text,
    evaluation: text,
    review: text,
    ranking: z.union([z.string(), z.array(z.string())]).nullish(),
    parsed_ranking: z.array(z.string()).nullish(),
    label_to_model: z.record(z.string(), z.string()).nullish(),
  })
  .refine((entry) => authorOf(entry) !== undefined, { error: 'expected a model or a title' });
type Entry = z.infer<typeof entrySchema>;

const stageSchema = z.preprocess(listed, z.array(entrySchema)).nullish();
/** A message of a conversation. */
export const fileMessageSchema = z
  .looseObject({
    role: z.string(),
    content: text,
    timestamp: text,
    stage1: stageSchema,
    stage2: stageSchema,
    stage3: z.preprocess(
      (stage) => (typeof stage === 'string' ? { role: chairman, response: stage } : stage),
      entrySchema.nullish(),
    ),
    metadata: z
      .looseObject({ label_to_model: z.record(z.string(), z.string()).nullish() })
      .nullish(),
  })
  .superRefine(({ role, content, stage1, stage3 }, context) => {
    if (askerRoles.has(role) && content == null) {
      context.addIssue({ code: 'custom', path: ['content'], message: 'expected a text' });
    }
    if (councilRoles.has(role) && content == null && stage1 == null && stage3 == null) {
      context.addIssue({ code: 'custom', message: 'expected content, stage1 or stage3' });
    }
  });
type FileMessage = z.infer<typeof fileMessageSchema>;

const messages = z.array(fileMessageSchema);
export const conversationSchema = z.looseObject({
  id: z.string().regex(/^[\p{L}\p{N}._-]{1,64}$/u, 'expected letters, digits, dots and dashes'),
  created_at: z.string().transform((written, context) => {
    const created = timeOf(written);
    if (created !== undefined) return created;
    context.addIssue({ code: 'custom', message: 'expected a time such as 2025-11-22T21:53:07' });
    return z.NEVER;
  }),
  messages: messages.nullish(),
  council_deliberation: z.looseObject({ messages }).nullish(),
});
/** A conversation, possibly without the messages, which are read one by one; `created_at` in milliseconds since 1970. */
export type Conversation = z.infer<typeof conversationSchema>;

/** The author if the file names none. */
export const chairman = 'chairman';
const askerRoles = new Set(['user', 'human']);
const councilRoles = new Set(['assistant', 'ai', 'council']);
/** The model that LLM Council writes if all models failed. */
const failedModel = 'error';

/** One author's text in a stage. */
export interface Contribution {
  /** The title or role, else the model. */
  readonly author: string;
  readonly model: string;
  /** Empty if the author failed. */
  readonly text: string;
}

export interface FileReview extends Contribution {
  /** Authors by label, from the review or its message. Default: the order of the answers. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The ranking in the file, best first, as the program that wrote it read or guessed it. */
  readonly ranking: readonly string[];
}

/** A question with its answers, reviews and verdict. */
export interface Asked {
  /** Index of the question in the file. */
  readonly index: number;
  readonly question: string;
  /** Milliseconds since 1970; absent if the file has no time for the question. */
  readonly at?: number;
  readonly answers: readonly Contribution[];
  readonly reviews: readonly FileReview[];
  readonly verdict?: Contribution;
}

/** Collects messages into questions, and counts the fields that it leaves out. */
export class ConversationReader {
  readonly #ignored = new Ignored();
  #index = -1;
  #asked: Asked | undefined;

  constructor(file: Conversation) {
    this.#ignored.note('', file, [...Object.keys(conversationSchema.shape), 'updated_at']);
    if (file.messages && file.council_deliberation) this.#ignored.add('council_deliberation');
  }

  /** @returns The previous question with its answers, if the message is a new question. */
  next(message: FileMessage): Asked | undefined {
    this.#index += 1;
    const { role, content } = message;
    this.#ignored.note('', message, messageFields);
    if (askerRoles.has(role)) {
      const previous = this.#asked;
      const at = timeOf(message.timestamp ?? '');
      const unanswered = { answers: [], reviews: [], ...(at !== undefined && { at }) };
      this.#asked = { index: this.#index, question: content ?? '', ...unanswered };
      return previous;
    }
    if (!councilRoles.has(role)) this.#ignored.add(`messages of the role ${role}`);
    else if (!this.#asked) this.#ignored.add('answers before the first question');
    else this.#asked = joined(this.#asked, deliberationIn(message, this.#ignored), this.#ignored);
    return undefined;
  }

  /** The last question, once every message has been read. */
  last(): Asked | undefined {
    return this.#asked;
  }

  /** Kinds of ignored data, each with its count. */
  leftOut(): readonly string[] {
    return this.#ignored.list();
  }
}

/** Kinds of ignored data to list. */
const mostListed = 20;
/** Limit on the answers to a question, and on its reviews; no council is larger. */
const mostEach = 100;
const stages = ['stage1', 'stage2', 'stage3'] as const;
const messageFields = [...Object.keys(fileMessageSchema.shape), 'id', 'loading'];
const entryFields = Object.keys(entrySchema.shape);

type Deliberation = Pick<Asked, 'answers' | 'reviews' | 'verdict'>;

/** Adds a second reply to a question. The later synthesis becomes the verdict, the earlier one an answer. */
function joined(
  asked: Asked,
  { answers, reviews, verdict }: Deliberation,
  ignored: Ignored,
): Asked {
  const earlier = verdict && asked.verdict ? [asked.verdict] : [];
  return {
    ...asked,
    answers: ignored.bounded('answers', [...asked.answers, ...earlier, ...answers]),
    reviews: ignored.bounded('reviews', [...asked.reviews, ...reviews]),
    ...(verdict && { verdict }),
  };
}

function deliberationIn(message: FileMessage, ignored: Ignored): Deliberation {
  const { content, stage1, stage2, stage3, metadata } = message;
  for (const stage of stages) {
    for (const entry of [message[stage] ?? []].flat())
      ignored.note(`${stage}.`, entry, entryFields);
  }
  ignored.note('metadata.', metadata ?? {}, ['label_to_model', 'aggregate_rankings']);
  const plain = content ? { author: chairman, model: chairman, text: content } : undefined;
  const written = stage3 ? contribution(stage3) : plain;
  if (stage3 && content && content !== written?.text) ignored.add('content beside stage3');
  const reviews = (stage2 ?? []).map((entry) => reviewIn(entry, metadata?.label_to_model));
  const answers = (stage1 ?? []).map(contribution);
  // A reply without a council is an answer, not a verdict.
  if (!stage1 && !stage3) return { answers: written ? [written] : [], reviews };
  return { answers, reviews, ...(written && { verdict: written }) };
}

function contribution(entry: Entry): Contribution {
  const author = authorOf(entry) ?? chairman;
  const { response, content, answer, text: other } = entry;
  const isFailed = entry.model === failedModel;
  return {
    author,
    model: entry.model || author,
    text: isFailed ? '' : (response ?? content ?? answer ?? other ?? ''),
  };
}

function reviewIn(
  entry: Entry,
  ofMessage: Readonly<Record<string, string>> | null | undefined,
): FileReview {
  const { ranking, evaluation, review, parsed_ranking: parsed } = entry;
  const written = typeof ranking === 'string' ? ranking : (evaluation ?? review);
  const labels = entry.label_to_model ?? ofMessage;
  return {
    ...contribution(entry),
    text: written ?? contribution(entry).text,
    ...(labels && { labels }),
    ranking: parsed ?? (Array.isArray(ranking) ? ranking : []),
  };
}

function authorOf({ agent_title, title, name, role, model }: Named) {
  return [agent_title, title, name, role, model].find((one) => one != null && one.trim() !== '');
}

type Named = Readonly<
  Partial<Record<'agent_title' | 'title' | 'name' | 'role' | 'model', string | null | undefined>>
>;

/** Converts a stage with the models as keys to a list of entries. */
function listed(stage: unknown): unknown {
  const byModel = z.record(z.string(), z.union([z.string(), z.looseObject({})])).safeParse(stage);
  if (!byModel.success) return stage;
  return Object.entries(byModel.data).map(([model, entry]) =>
    typeof entry === 'string' ? { model, response: entry } : { model, ...entry },
  );
}

/** Later years can't be written with four digits, and after the very last there is no next millisecond. */
const firstTooLate = Date.UTC(10_000, 0);

/** Python writes UTC without a time zone. */
function timeOf(written: string): number | undefined {
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/i.test(written);
  const time = Date.parse(hasZone ? written : `${written}Z`);
  return time >= 0 && time < firstTooLate ? time : undefined;
}

/** Counts the data that is not imported. */
class Ignored {
  readonly #counts = new Map<string, number>();

  add(what: string, times = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + times);
  }

  /** Returns the first items, and counts the others. */
  bounded<Item>(what: string, items: readonly Item[]): readonly Item[] {
    if (items.length <= mostEach) return items;
    this.add(`${what} beyond the first ${mostEach} of a question`, items.length - mostEach);
    return items.slice(0, mostEach);
  }

  /** Counts the fields of an object that are not empty and not known. */
  note(within: string, value: Readonly<Record<string, unknown>>, known: readonly string[]): void {
    for (const [key, field] of Object.entries(value)) {
      const isEmpty = field == null || field === '' || field === false;
      const isBare = typeof field === 'object' && field !== null && Object.keys(field).length === 0;
      if (!isEmpty && !isBare && !known.includes(key)) this.add(`${within}${key}`);
    }
  }

  list(): readonly string[] {
    const all = Array.from(this.#counts, ([what, count]) =>
      count === 1 ? what : `${what} (${count})`,
    );
    const more = all.length - mostListed;
    return more > 0 ? [...all.slice(0, mostListed), `${more} others`] : all;
  }
}
