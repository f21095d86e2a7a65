/**
 * The chat model interface: an identity and two verbs. Vendors stay behind it; retries and usage counts
 * wrap it.
 */

import type { Picture } from '../domain/source.ts';

/** The purpose of a call: a step of a turn or work around it. Stored with its cost. */
export type Stage =
  | 'moderator'
  | 'sage'
  | 'review'
  | 'docket' // lists what the answers dispute
  | 'rebuttal'
  | 'second_ballot'
  | 'own_answer' // the chair's, before it reads the council's
  | 'verdict'
  | 'compactor'
  | 'embedding' // of a question or a memory
  | 'minutes' // the decision record of a thread
  | 'draft' // writes the prompt of a custom sage
  | 'side_task' // a small task of a chat program, e.g. a title
  | 'check'; // the calls of `doctor`

/** One message of a conversation. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
  /** Sent to models that can see; the text describes them. Default: none. */
  readonly pictures?: readonly Picture[];
}

/** A token for four bytes, since other scripts need more than Latin; 1,000 for a picture of common size. */
export function estimateTokens(messages: readonly Pick<ChatMessage, 'content' | 'pictures'>[]) {
  return messages.reduce((sum, { content, pictures = [] }) => {
    return sum + Math.ceil(Buffer.byteLength(content) / 4) + pictures.length * 1000;
  }, 0);
}

/** A message from the history. */
export interface EarlierMessage extends ChatMessage {
  /** The author of an `assistant` message: a sage's key, or `chair`. Absent: the reader. */
  readonly by?: string;
}

/**
 * The history from one speaker's point of view: its own messages stay `assistant`, those of others become
 * `user`. Otherwise a model takes the others' answers for its own and imitates their form. The roles
 * alternate, because some servers require it.
 *
 * @param reader - As in `by`; absent for a reader that wrote none of them.
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

/** Merges consecutive messages of the same role. */
export function alternating(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const merged: ChatMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last?.role === message.role) {
      const pictures = [...(last.pictures ?? []), ...(message.pictures ?? [])];
      merged[merged.length - 1] = {
        role: last.role,
        content: `${last.content}\n${message.content}`,
        ...(pictures.length > 0 && { pictures }),
      };
    } else merged.push(message);
  }
  return merged;
}

/** The JSON that a reply must be. Servers that support schemas enforce it. */
export interface ReplySchema {
  /** Letters, digits, `_` and `-`; at most 64 characters. */
  readonly name: string;
  /** A JSON Schema with every object closed and every property required. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** One call. */
export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly replySchema?: ReplySchema;
  /** Limit of the reply including its reasoning. Default: the server's. */
  readonly maxOutputTokens?: number;
  readonly stage: Stage;
  /** The key of the sage that the call is for, if any. */
  readonly sage?: string;
  /**
   * Called when the call starts to queue for its provider. The returned function is called when the wait
   * ends, in whatever way. The caller stops its clock in between.
   */
  readonly onWait?: () => () => void;
  /** Set on a call to a fallback model: why the model that was asked failed. Recorded as a remark if it answers. */
  readonly standsInFor?: ModelError;
  /** Aborting it cancels the request; the call then throws the signal's reason, unwrapped. */
  readonly signal: AbortSignal;
}

/** The tokens of a call, and its cost. */
export interface TokenUsage {
  readonly inputTokens: number;
  /** The input tokens that came from the server's cache, which cost less. Default: 0. */
  readonly cachedTokens?: number;
  /** Includes reasoning, which all vendors bill as output. */
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** US dollars; absent if unknown. */
  readonly costUsd?: number;
}

/** A complete reply. An interrupted one is a {@link ModelError}, never a `ChatReply`. */
export interface ChatReply {
  readonly text: string;
  /** The reasoning text, for the receipt; never shown as an answer. May be empty. */
  readonly reasoning: string;
  /** `length`: the text was cut off at the server's or the request's limit. */
  readonly finishReason: 'stop' | 'length';
  /** Absent if the server sent none. */
  readonly usage?: TokenUsage;
  /** The `provider:model` that wrote it, if not the model that was asked. */
  readonly by?: string;
  /** Remarks for people about how it was made, e.g. `speaks JSON without schema`. Default: none. */
  readonly remarks?: readonly string[];
}

/** The remark of a model that could not be sent the question's pictures. */
export const blindRemark = 'can’t see pictures';

/** A piece of a streamed reply. The last one is always `finished`. */
export type ChatChunk =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** The call starts over: discard all text so far. */
  | { readonly type: 'restarted'; readonly cause: ModelError }
  | { readonly type: 'finished'; readonly reply: ChatReply };

/** An identity and two verbs. */
export interface ChatModel {
  /** `provider:model`, e.g. `openai:gpt-5`. */
  readonly id: string;
  /** Returns the whole reply. Throws {@link ModelError}, or the signal's reason when aborted. */
  complete(request: ChatRequest): Promise<ChatReply>;
  /** Yields the reply as it arrives. Throws as `complete` does. */
  stream(request: ChatRequest): AsyncIterable<ChatChunk>;
}

/** The name of {@link absentModel}, which stands in when no model is set up. */
export const noModel = 'none';

/**
 * Why a model did not answer. `isRetryable`: repeating the call may succeed. `isFree`: the model did no work,
 * so nothing is charged. Decided only here.
 */
const failures = {
  key_rejected: { isRetryable: false, isFree: true }, // 401, 403
  payment_required: { isRetryable: false, isFree: true }, // 402, or a 429 because the quota is used up
  model_not_found: { isRetryable: false, isFree: true }, // 404
  wrong_address: { isRetryable: false, isFree: true }, // the address is not a model server's
  bad_request: { isRetryable: false, isFree: true }, // any other 4xx
  rate_limited: { isRetryable: true, isFree: true }, // 429
  server_error: { isRetryable: true, isFree: true }, // 5xx
  unreachable: { isRetryable: true, isFree: true }, // nothing listens, DNS, TLS, connection reset before the first byte
  timed_out: { isRetryable: true, isFree: false }, // no answer in time
  broken_stream: { isRetryable: true, isFree: false }, // ended early or without a finish reason
  refused: { isRetryable: false, isFree: false }, // content filter or explicit refusal
  context_too_long: { isRetryable: false, isFree: true }, // the input exceeds the context window
  output_limit: { isRetryable: false, isFree: false }, // reached a limit before there was an answer
  empty: { isRetryable: true, isFree: false }, // finished without text
} as const;
export type ModelFailure = keyof typeof failures;

/** The model did not answer. The message tells people what happened and what to do about it. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly failure: ModelFailure;
  /** `provider:model`. */
  readonly model: string;
  /** How long the server asks clients to wait. */
  readonly retryAfterMs: number | undefined;
  /** What the server counted for the call; most failures have no figures. */
  readonly usage: TokenUsage | undefined;
  readonly #partialText: string;
  readonly #said: string;

  constructor(
    message: string,
    facts: {
      failure: ModelFailure;
      model: string;
      retryAfterMs?: number | undefined;
      usage?: TokenUsage | undefined;
      partialText?: string;
      said?: string;
      cause?: unknown;
    },
  ) {
    super(message, { cause: facts.cause });
    this.failure = facts.failure;
    this.model = facts.model;
    this.retryAfterMs = facts.retryAfterMs;
    this.usage = facts.usage;
    this.#partialText = facts.partialText ?? '';
    this.#said = facts.said ?? '';
  }

  /** The text that arrived before a stream broke off, for the receipt. A getter, so that logs don't print it. */
  get partialText(): string {
    return this.#partialText;
  }

  /** The server's or model's words that the message quotes; must not be logged. */
  get said(): string {
    return this.#said;
  }

  /** Whether repeating the call may succeed. */
  get isRetryable(): boolean {
    return failures[this.failure].isRetryable;
  }

  /** Whether the model did no work, so nothing is charged. */
  get isFree(): boolean {
    return failures[this.failure].isFree;
  }
}

/** The message for people when no model is set up. */
export const noModelWords =
  'No model is set up, so no sage can speak yet. `npm run council -- setup`, where this council runs, finds a local model or takes a key.';

/** Stands in when no model is set up: every call fails at once and says what to do. */
export const absentModel: ChatModel = {
  id: noModel,
  async complete() {
    throw new ModelError(noModelWords, { failure: 'model_not_found', model: noModel });
  },
  async *stream(request) {
    yield { type: 'finished', reply: await absentModel.complete(request) };
  },
};

/** The usage record of one finished or failed call. */
export interface CallUsage extends TokenUsage {
  readonly model: string;
  readonly stage: Stage;
  readonly sage?: string;
  /** Whether the tokens were estimated from the text, because the server sent no figures. */
  readonly estimated: boolean;
  /** `answered`, or why it failed; `aborted` if it was stopped. */
  readonly outcome: 'answered' | 'aborted' | ModelFailure;
  readonly latencyMs: number;
  /** The reply's {@link ChatReply.remarks}. */
  readonly remarks?: readonly string[];
}
