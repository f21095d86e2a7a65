/** A message that grows: appended to while Slack keeps its stream open, edited after that. */

import type { CallKind } from '../../chat/pacing/call-ledger.ts';
import type { PacedEdits } from '../../chat/pacing/pacer.ts';
import { UnansweredError } from '../../chat/pacing/platform-error.ts';
import {
  type MessageBody,
  type MessageMark,
  type SpeakingAs,
  updateMessage,
} from '../api/messages.ts';
import { isClosed, stopStream } from '../api/streams.ts';
import { inertSlackMarkdown } from '../slack-text.ts';
import { type Block, drawnOrInText, markdownBlock } from './blocks.ts';
import type { TurnContext, UnfinishedMessage } from './turn-poster.ts';

/** A speaker, and how its text is shown. */
export interface Voice {
  /** The mark of its first message; further messages are numbered. */
  readonly part: string;
  /** `undefined`: it posts as the app. */
  readonly speakingAs: SpeakingAs | undefined;
  /** Goes above its text if Slack rejects its name. */
  readonly label: string;
  /** Renders an unfinished text, inert; empty: nothing to show yet. */
  settled(text: string): string;
  /** Splits the whole text into messages, with a note of ours below the last. */
  pieces(text: string, note?: string): readonly string[];
  /** The notification for a piece, escaped. */
  notice(piece: string): string;
  /** Whether an unfinished message is this voice's. */
  isOwn(message: UnfinishedMessage): boolean;
}

/** A message of a voice, with blocks below its text. */
export function bodyIn(voice: Voice, markdown: string, below: readonly Block[]): MessageBody {
  return { text: voice.notice(markdown), blocks: [markdownBlock(markdown), ...below] };
}

/** The next content of the message. */
interface State {
  /** Markdown if it is the last; otherwise the model's text so far. */
  readonly text: string;
  readonly isLast: boolean;
  /** Blocks below the last text. */
  readonly below?: readonly Block[];
}

export class GrowingMessage {
  readonly ts: string;
  readonly #context: TurnContext;
  readonly #voice: Voice;
  readonly #edits: PacedEdits<State>;
  /** The text that Slack certainly has; `undefined` once that is unknown. */
  #said: string | undefined;
  /** Slack accepts no more appends. */
  #isClosed = false;

  /** @param said - Its current text; absent: unknown, so the end replaces all of it. */
  constructor(context: TurnContext, voice: Voice, ts: string, said?: string) {
    const { pacer, place, turnId, log, signal } = context;
    this.#context = context;
    this.#voice = voice;
    this.ts = ts;
    this.#said = said;
    this.#edits = pacer.edits<State>({
      destination: { thread: `${place.channel} ${ts}`, channel: place.channel },
      kindOf: (isLast) => this.#kindOf(isLast),
      shown: { text: '', isLast: false },
      edit: ({ text, isLast, below = [] }) =>
        isLast
          ? drawnOrInText(below, context, (blocks) => this.#end(text, blocks))
          : this.#grow(text),
      onEditFailed: (error) =>
        log.info({ turnId, error }, 'an answer could not be shown as it grew'),
      signal,
    });
  }

  /** @param answer - The whole text so far. */
  show(answer: string): void {
    if (this.#said !== undefined || this.#isClosed) {
      this.#edits.show({ text: answer, isLast: false });
    }
  }

  /**
   * Resolves once it shows the text as an ordinary message. Rejects with Slack's refusals.
   *
   * @param below - Blocks below the text.
   */
  finish(markdown: string, below: readonly Block[]): Promise<void> {
    return this.#edits.finish({ text: markdown, isLast: true, below });
  }

  #kindOf(isLast: boolean): CallKind {
    if (this.#isClosed) return isLast ? 'last_edit' : 'edit';
    return isLast ? 'stream_stop' : 'stream_append';
  }

  /** If an append gets no answer, growth stops and the end replaces the whole text. */
  async #grow(answer: string): Promise<void> {
    const markdown = this.#voice.settled(answer);
    if (this.#isClosed) return this.#replace(markdown);
    const { api, place } = this.#context;
    const { team, channel } = place;
    const more = this.#moreThanSaid(markdown);
    if (more === undefined || more === '') return;
    try {
      await api.call(team, 'chat.appendStream', { channel, ts: this.ts, markdown_text: more });
      this.#said = markdown;
    } catch (error) {
      if (isClosed(error)) {
        this.#isClosed = true;
        await this.#replace(markdown);
      } else if (error instanceof UnansweredError) this.#said = undefined;
      else throw error;
    }
  }

  async #end(markdown: string, below: readonly Block[]): Promise<void> {
    if (!this.#isClosed && (await this.#stop(markdown, below))) return;
    await this.#replace(markdown, below, this.#mark);
  }

  /** @returns Whether it certainly shows the whole text. */
  async #stop(markdown: string, below: readonly Block[]): Promise<boolean> {
    const { api, patientApi, place } = this.#context;
    const { ts } = this;
    const more = this.#moreThanSaid(markdown);
    try {
      if (more !== undefined) {
        await stopStream(api, place, ts, { markdown: more, blocks: below, mark: this.#mark });
        return true;
      }
    } catch (error) {
      if (!isClosed(error) && !(error instanceof UnansweredError)) throw error;
    }
    this.#said = undefined;
    try {
      // The stream may already be stopped; the caller replaces its text in any case.
      await stopStream(patientApi, place, ts, { markdown: '' });
    } catch (error) {
      if (!isClosed(error)) throw error;
    }
    this.#isClosed = true;
    return false;
  }

  #moreThanSaid(markdown: string): string | undefined {
    if (this.#said === undefined) return undefined;
    if (markdown.startsWith(this.#said)) return markdown.slice(this.#said.length);
    const said = this.#said.trimEnd();
    const more = markdown.startsWith(said) ? markdown.slice(said.length) : undefined;
    // Slack shows white space here that the text lacks. Only a line break hides it.
    return more === '' || more?.startsWith('\n') ? more : undefined;
  }

  /** @param mark - Only for the last text, because a mark means that the message is complete. */
  #replace(markdown: string, below: readonly Block[] = [], mark?: MessageMark): Promise<void> {
    const { patientApi, place } = this.#context;
    return updateMessage(patientApi, place, this.ts, bodyIn(this.#voice, markdown, below), mark);
  }

  get #mark(): MessageMark {
    return { turnId: this.#context.turnId, part: this.#voice.part };
  }
}

/**
 * Returns the part of a growing Markdown text that most likely won't change, made inert: up to the last
 * whole word or line.
 *
 * The result is nearly always a prefix of the result for a longer text. Where it is not, e.g. because
 * apparent prose turns out to be code, the final edit corrects it.
 */
export function settledMarkdown(text: string, upTo: 'word' | 'line'): string {
  const end = upTo === 'line' ? text.lastIndexOf('\n') + 1 : text.search(/\S*$/);
  const settled = text.slice(0, end);
  // An open code fence would be treated as prose.
  const isInCode = (settled.match(/`{3,}/g)?.length ?? 0) % 2 === 1;
  if (!isInCode) return inertSlackMarkdown(settled);
  const closing = '\n```';
  return inertSlackMarkdown(`${settled}${closing}`).slice(0, -closing.length);
}
