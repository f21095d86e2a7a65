/**
 * Reads a conversation file of LLM Council and of what was made from it: questions, and for each what the
 * models answered, how they reviewed each other, and what the chairman made of it.
 *
 * The forks name the same things differently: an answer is a `response`, a `content` or an `answer`, its
 * author a `model`, or an agent with a title or a role; a stage is a list, or has its entries by model.
 */

import { z } from 'zod';

const text = z.string().nullish();
/** A contribution to a stage. */
const entrySchema = z
  .looseObject({
    ...{ model: text, agent_title: text, title: text, name: text, role: text },
    ...{ response: text, content: text, answer: text, text },
    ...{ evaluation: text, review: text },
    ranking: z.union([z.string(), z.array(z.string())]).nullish(),
    ...{ parsed_ranking: z.array(z.string()).nullish() },
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
    if (asking.has(role) && content == null) {
      context.addIssue({ code: 'custom', path: ['content'], message: 'expected a text' });
    }
    if (answering.has(role) && content == null && stage1 == null && stage3 == null) {
      context.addIssue({ code: 'custom', message: 'expected content, stage1 or stage3' });
    }
  });
type FileMessage = z.infer<typeof fileMessageSchema>;

const messages = z.array(fileMessageSchema);
export const conversationSchema = z
  .looseObject({
    id: z.string().regex(/^[\p{L}\p{N}._-]{1,64}$/u, 'expected letters, digits, dots and dashes'),
    created_at: z.string().transform((written, context) => {
      const created = timeOf(written);
      if (created !== undefined) return created;
      context.addIssue({ code: 'custom', message: 'expected a time such as 2025-11-22T21:53:07' });
      return z.NEVER;
    }),
    messages: messages.nullish(),
    council_deliberation: z.looseObject({ messages }).nullish(),
  })
  .refine((file) => (file.messages ?? file.council_deliberation) != null, {
    path: ['messages'],
    error: 'expected a list',
  });
/** A conversation, without its messages where these are read one by one; `created_at` in milliseconds since 1970. */
export type Conversation = z.infer<typeof conversationSchema>;

/** Who speaks where the file names no author. */
export const chairman = 'chairman';
const asking = new Set(['user', 'human']);
const answering = new Set(['assistant', 'ai', 'council']);
/** The model that LLM Council names when none has answered. */
const noModel = 'error';

/** What one author wrote in a stage. */
export interface Contribution {
  /** By its title or role, or else by its model. */
  readonly author: string;
  readonly model: string;
  /** Empty: it failed. */
  readonly text: string;
}

export interface FileReview extends Contribution {
  /** Who stood behind which label, as this review or the message says; absent: in the order of the answers. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The ranking as the file has it, best first; what the program that wrote it has read, or guessed. */
  readonly ranking: readonly string[];
}

/** A question and what came of it. */
export interface Asked {
  /** Place of the question in the file. */
  readonly index: number;
  readonly question: string;
  /** Milliseconds since 1970; absent: the file tells no time for it. */
  readonly at?: number;
  readonly answers: readonly Contribution[];
  readonly reviews: readonly FileReview[];
  readonly verdict?: Contribution;
}

/**
 * Reads messages one after another, and tells what was asked once all that came of it is read. What of the
 * file has no place here is counted.
 */
export class ReadingConversation {
  readonly #spare = new Spare();
  #index = -1;
  #asked: Asked | undefined;

  constructor(file: Conversation) {
    this.#spare.note('', file, [...Object.keys(conversationSchema.shape), 'updated_at']);
    if (file.messages && file.council_deliberation) this.#spare.add('council_deliberation');
  }

  /** @returns What was asked before, when this is the next question. */
  next(message: FileMessage): Asked | undefined {
    this.#index += 1;
    const { role, content } = message;
    this.#spare.note('', message, knownOfMessage);
    if (asking.has(role)) {
      const before = this.#asked;
      const at = timeOf(message.timestamp ?? '');
      const came = { answers: [], reviews: [], ...(at !== undefined && { at }) };
      this.#asked = { index: this.#index, question: content ?? '', ...came };
      return before;
    }
    if (!answering.has(role)) this.#spare.add(`messages of the role ${role}`);
    else if (!this.#asked) this.#spare.add('answers before the first question');
    else this.#asked = joined(this.#asked, deliberationIn(message, this.#spare), this.#spare);
    return undefined;
  }

  /** What was asked last, once every message has been read. */
  last(): Asked | undefined {
    return this.#asked;
  }

  /** Each with how often it occurs. */
  leftOut(): readonly string[] {
    return this.#spare.told();
  }
}

/** Kinds of what is left out. */
const mostTold = 20;
/** Of a question, so many answers and so many reviews; no council is larger. */
const mostEach = 100;
const stages = ['stage1', 'stage2', 'stage3'] as const;
const knownOfMessage = [...Object.keys(fileMessageSchema.shape), 'id', 'loading'];
const ofEntries = Object.keys(entrySchema.shape);

type Deliberation = Pick<Asked, 'answers' | 'reviews' | 'verdict'>;

/** What is answered twice goes on: a later synthesis is the verdict, and the one before it an answer. */
function joined(asked: Asked, { answers, reviews, verdict }: Deliberation, spare: Spare): Asked {
  const before = verdict && asked.verdict ? [asked.verdict] : [];
  return {
    ...asked,
    answers: spare.bounded('answers', [...asked.answers, ...before, ...answers]),
    reviews: spare.bounded('reviews', [...asked.reviews, ...reviews]),
    ...(verdict && { verdict }),
  };
}

function deliberationIn(message: FileMessage, spare: Spare): Deliberation {
  const { content, stage1, stage2, stage3, metadata } = message;
  for (const stage of stages) {
    for (const entry of [message[stage] ?? []].flat()) spare.note(`${stage}.`, entry, ofEntries);
  }
  spare.note('metadata.', metadata ?? {}, ['label_to_model', 'aggregate_rankings']);
  const written = stage3 ? contribution(stage3) : content ? plain(content) : undefined;
  if (stage3 && content && content !== written?.text) spare.add('content beside stage3');
  const reviews = (stage2 ?? []).map((entry) => reviewIn(entry, metadata?.label_to_model));
  const answers = (stage1 ?? []).map(contribution);
  // What was answered without a council is an answer and no verdict.
  if (!stage1 && !stage3) return { answers: written ? [written] : [], reviews };
  return { answers, reviews, ...(written && { verdict: written }) };
}

function plain(content: string): Contribution {
  return { author: chairman, model: chairman, text: content };
}

function contribution(entry: Entry): Contribution {
  const author = authorOf(entry) ?? chairman;
  const { response, content, answer, text: said } = entry;
  const isFailed = entry.model === noModel;
  return {
    author,
    model: entry.model || author,
    text: isFailed ? '' : (response ?? content ?? answer ?? said ?? ''),
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

function authorOf({ agent_title, title, name, role, model }: z.infer<z.ZodType<Named>>) {
  return [agent_title, title, name, role, model].find((one) => one != null && one.trim() !== '');
}

type Named = Readonly<
  Partial<Record<'agent_title' | 'title' | 'name' | 'role' | 'model', string | null | undefined>>
>;

/** Entries that stand by the name of their model. */
function listed(stage: unknown): unknown {
  const byModel = z.record(z.string(), z.union([z.string(), z.looseObject({})])).safeParse(stage);
  if (!byModel.success) return stage;
  return Object.entries(byModel.data).map(([model, entry]) =>
    typeof entry === 'string' ? { model, response: entry } : { model, ...entry },
  );
}

/** Written by Python: UTC, and without saying so. */
function timeOf(written: string): number | undefined {
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/i.test(written);
  const time = Date.parse(hasZone ? written : `${written}Z`);
  return time >= 0 ? time : undefined;
}

/** Counts what is not taken over. */
class Spare {
  readonly #counts = new Map<string, number>();

  add(what: string, times = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + times);
  }

  /** The first ones of a question; the others are counted. */
  bounded<Item>(what: string, items: readonly Item[]): readonly Item[] {
    if (items.length <= mostEach) return items;
    this.add(`${what} beyond the first ${mostEach} of a question`, items.length - mostEach);
    return items.slice(0, mostEach);
  }

  /** Adds the fields of an object that hold something, and are not known. */
  note(within: string, value: Readonly<Record<string, unknown>>, known: readonly string[]): void {
    for (const [key, field] of Object.entries(value)) {
      const isEmpty = field == null || field === '' || field === false;
      const isBare = typeof field === 'object' && field !== null && Object.keys(field).length === 0;
      if (!isEmpty && !isBare && !known.includes(key)) this.add(`${within}${key}`);
    }
  }

  told(): readonly string[] {
    const all = Array.from(this.#counts, ([what, count]) =>
      count === 1 ? what : `${what} (${count})`,
    );
    const more = all.length - mostTold;
    return more > 0 ? [...all.slice(0, mostTold), `${more} others`] : all;
  }
}
