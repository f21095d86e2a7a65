/**
 * A chat model as the rest of the project sees it: an identity and two verbs.
 *
 * Everything that concerns a vendor stays behind this interface. Retrying, counting and shaping
 * wrap it or build on it, and are composed in `src/index.ts`.
 */

import type { Picture } from '../domain/source.ts';

/** Which step of a turn (or of the work around it) a call is made for; kept with its cost. */
export type Stage =
  | 'moderator'
  | 'sage'
  | 'review'
  | 'docket' // what the answers dispute
  | 'rebuttal'
  | 'second_ballot'
  | 'own_answer' // the chair's, before it has heard the council
  | 'verdict'
  | 'compactor'
  | 'embedding' // of a question, or of what is remembered
  | 'minutes' // the decision record of a thread
  | 'draft' // writes the prompt of a custom sage
  | 'side_task' // a small task of a chat program, e.g. a title
  | 'check'; // the calls of `doctor`

/** One message of a conversation, in the order in which the model reads it. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
  /** Shown with it to models that see; the text says what they are. Absent: none. */
  readonly pictures?: readonly Picture[];
}

/** A message of earlier talk. */
export interface EarlierMessage extends ChatMessage {
  /** Whose own words an `assistant` message is: the key of a sage, or `chair`. Absent: its reader's. */
  readonly by?: string;
}

/**
 * Earlier talk as one of its speakers reads it: its own words stay its own, and what others said becomes
 * something that it is told. Otherwise a model takes the answers of others for its own, and goes on in
 * their form. The roles alternate, because some servers want them to.
 *
 * @param reader - As in `by`; absent for a reader that said none of it.
 */
export function asReadBy(
  messages: readonly EarlierMessage[],
  reader?: string,
): readonly ChatMessage[] {
  return alternating(
    messages.map(({ by, ...message }) =>
      by === undefined || by === reader ? message : { ...message, role: 'user' },
    ),
  );
}

/** Neighbours of one role as one message. */
export function alternating(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const merged: ChatMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last?.role === message.role) {
      const pictures = [...(last.pictures ?? []), ...(message.pictures ?? [])];
      merged[merged.length - 1] = {
        ...{ role: last.role, content: `${last.content}\n${message.content}` },
        ...(pictures.length > 0 && { pictures }),
      };
    } else merged.push(message);
  }
  return merged;
}

/** The JSON that a reply must consist of. Servers that can are made to keep to it. */
export interface ReplySchema {
  /** Letters, digits, `_` and `-`; at most 64 characters. */
  readonly name: string;
  /** JSON Schema, every object closed and every property required. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** One call. */
export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly replySchema?: ReplySchema;
  /** Upper bound of the reply, reasoning included. Absent: the server's own bound. */
  readonly maxOutputTokens?: number;
  readonly stage: Stage;
  /** Key of the sage that the call is made for, where there is one. */
  readonly sage?: string;
  /**
   * Called when the call begins to wait for its turn at the provider; what it gives back is called when
   * the wait is over, however it ended. The caller's clock stands still in between.
   */
  readonly onWait?: () => () => void;
  /** Why another model than the one of this part is asked; kept as a remark. Absent for the part's own. */
  readonly standsInFor?: string;
  /** Aborting it ends the call upstream; the call then throws the signal's reason, unwrapped. */
  readonly signal: AbortSignal;
}

/** What a call used, as the server counted it. */
export interface TokenUsage {
  readonly inputTokens: number;
  /** Reasoning included, as all vendors bill it. */
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** US dollars as the server itself stated them; absent where it states none. */
  readonly costUsd?: number;
}

/** A complete reply. A reply that broke off is a {@link ModelError}, never a `ChatReply`. */
export interface ChatReply {
  readonly text: string;
  /** The model's reasoning text, for the receipt; never shown as an answer. Empty where there is none. */
  readonly reasoning: string;
  /** `length`: the server's or the request's bound cut the text off. */
  readonly finishReason: 'stop' | 'length';
  /** Absent where the server sent none. */
  readonly usage?: TokenUsage;
  /** `provider:model` that wrote it, where that is not the model that was asked. */
  readonly by?: string;
  /** What people should know of how it came about, e.g. `speaks JSON without schema`. Absent where there is nothing. */
  readonly remarks?: readonly string[];
}

/** Of a model that was asked about pictures and shown none of them. */
export const blindRemark = 'can’t see pictures';

/** A piece of a streamed reply. The last one is always `finished`. */
export type ChatChunk =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** The call is made anew: all text so far is void. */
  | { readonly type: 'restarted'; readonly cause: ModelError }
  | { readonly type: 'finished'; readonly reply: ChatReply };

/** An identity and two verbs. */
export interface ChatModel {
  /** `provider:model`, e.g. `openai:gpt-5`. */
  readonly id: string;
  /** Asks and waits for the whole reply. Throws {@link ModelError}, or the signal's reason when aborted. */
  complete(request: ChatRequest): Promise<ChatReply>;
  /** Asks and gives the reply as it comes. Throws as `complete` does. */
  stream(request: ChatRequest): AsyncIterable<ChatChunk>;
}

/** Name of the model where none is set up. It is never called: {@link absentModel} says why. */
export const noModel = 'none:none';

/**
 * Why a model did not answer. `mayPass`: the same call may succeed when it is made again. `isFree`: nothing
 * was worked on, so nothing is charged. Decided here and nowhere else.
 */
const failures = {
  key_rejected: { mayPass: false, isFree: true }, // 401, 403
  payment_required: { mayPass: false, isFree: true }, // 402, or a 429 that says that the quota is used up
  model_not_found: { mayPass: false, isFree: true }, // 404
  wrong_address: { mayPass: false, isFree: true }, // what answers there is no model server
  bad_request: { mayPass: false, isFree: true }, // any other 4xx
  rate_limited: { mayPass: true, isFree: true }, // 429
  server_error: { mayPass: true, isFree: true }, // 5xx
  unreachable: { mayPass: true, isFree: true }, // nothing listens, DNS, TLS, connection reset before the first byte
  timed_out: { mayPass: true, isFree: false }, // the server did not answer within its time
  broken_stream: { mayPass: true, isFree: false }, // ended in the middle, or without a finish reason
  refused: { mayPass: false, isFree: false }, // content filter or an explicit refusal
  context_too_long: { mayPass: false, isFree: true }, // more was sent than the model can read
  output_limit: { mayPass: false, isFree: false }, // its output reached a limit before there was an answer
  empty: { mayPass: true, isFree: false }, // finished without a text
} as const;
export type ModelFailure = keyof typeof failures;

/** The model did not answer. The message is for people: what happened and what to do about it. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly failure: ModelFailure;
  /** `provider:model`. */
  readonly model: string;
  /** How long the server asks to wait. */
  readonly retryAfterMs: number | undefined;
  readonly #partialText: string;
  readonly #said: string;

  constructor(
    message: string,
    facts: {
      failure: ModelFailure;
      model: string;
      retryAfterMs?: number | undefined;
      partialText?: string;
      said?: string;
      cause?: unknown;
    },
  ) {
    super(message, { cause: facts.cause });
    this.failure = facts.failure;
    this.model = facts.model;
    this.retryAfterMs = facts.retryAfterMs;
    this.#partialText = facts.partialText ?? '';
    this.#said = facts.said ?? '';
  }

  /** What had arrived before a stream broke off; kept for the receipt. No field, so that nothing prints it. */
  get partialText(): string {
    return this.#partialText;
  }

  /** What the message quotes of the server's or the model's words: for people, and not for the log. */
  get said(): string {
    return this.#said;
  }

  /** Whether the same call may succeed when it is made again. */
  get isRetryable(): boolean {
    return failures[this.failure].mayPass;
  }

  /** Whether nothing was worked on, so that nothing is charged. */
  get isFree(): boolean {
    return failures[this.failure].isFree;
  }
}

/** What people are told where no model is set up. */
export const noModelWords =
  'No model is set up, so no sage can speak yet. `npm run council -- setup`, where this council runs, finds a local model or takes a key.';

/** Stands where no model is set up: every call fails at once, and says what to do. */
export const absentModel: ChatModel = {
  id: noModel,
  complete: async () => {
    throw missingModel();
  },
  // biome-ignore lint/correctness/useYield: it fails before there is anything to give
  async *stream() {
    throw missingModel();
  },
};

function missingModel(): ModelError {
  return new ModelError(noModelWords, { failure: 'model_not_found', model: noModel });
}

/** One finished or failed call, as it is counted. */
export interface CallUsage {
  readonly model: string;
  readonly stage: Stage;
  readonly sage?: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** US dollars; absent where neither the server nor the price list knows it. */
  readonly costUsd?: number;
  /** True where the server sent no figures and the tokens were estimated from the text. */
  readonly estimated: boolean;
  /** `answered`, or why it failed; `aborted` when it was stopped. */
  readonly outcome: 'answered' | 'aborted' | ModelFailure;
  readonly latencyMs: number;
  /** Of the reply; see {@link ChatReply.remarks}. */
  readonly remarks?: readonly string[];
}
