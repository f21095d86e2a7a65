/** A message that grows: Slack appends to it while it keeps it open, and it is replaced from then on. */

import type { CallKind } from '../../chat/pacing/call-ledger.ts';
import type { PacedEdits } from '../../chat/pacing/pacer.ts';
import { type MessageBody, type MessageMark, updateMessage } from '../api/messages.ts';
import { appendStream, isClosed, stopStream } from '../api/streams.ts';
import { SlackUnanswered } from '../slack-error.ts';
import { inertSlackMarkdown } from '../slack-text.ts';
import { type Block, withoutCharts } from './blocks.ts';
import { refusesForm, type TurnContext } from './turn-poster.ts';

export interface GrowingMessageOptions {
  readonly ts: string;
  readonly mark: MessageMark;
  /** What it shows; absent: unknown, and it is replaced in the end. */
  readonly said: string | undefined;
  /** What is shown of an answer so far, as Markdown; asked only when it is about to be sent. */
  readonly settled: (answer: string) => string;
  /** What replaces it, for a Markdown text and the blocks below it. */
  readonly bodyOf: (markdown: string, below: readonly Block[]) => MessageBody;
}

/** Markdown for the last one, else an answer so far. */
interface State {
  readonly text: string;
  readonly isLast: boolean;
  /** Follow the text of the last one. */
  readonly below?: readonly Block[];
}

export class GrowingMessage {
  readonly #context: TurnContext;
  readonly #options: GrowingMessageOptions;
  readonly #edits: PacedEdits<State>;
  /** What Slack has of it for certain; absent once that is not known. */
  #said: string | undefined;
  /** Slack takes no more appends. */
  #isClosed = false;

  constructor(context: TurnContext, options: GrowingMessageOptions) {
    const { pacer, place, turnId, log, signal } = context;
    this.#context = context;
    this.#options = options;
    this.#said = options.said;
    this.#edits = pacer.edits<State>({
      destination: { thread: `${place.channel} ${options.ts}`, channel: place.channel },
      kindOf: (isLast) => this.#kindOf(isLast),
      shown: { text: '', isLast: false },
      edit: ({ text, isLast, below = [] }) => (isLast ? this.#end(text, below) : this.#grow(text)),
      onEditFailed: (error) =>
        log.info({ turnId, error }, 'an answer could not be shown as it grew'),
      signal,
    });
  }

  get ts(): string {
    return this.#options.ts;
  }

  /** @param answer - All that there is so far. */
  show(answer: string): void {
    if (this.#said !== undefined || this.#isClosed) {
      this.#edits.show({ text: answer, isLast: false });
    }
  }

  /**
   * Resolves when it shows the text and is a message like any other. Rejects with what Slack refuses.
   *
   * @param below - Blocks that follow the text.
   */
  finish(markdown: string, below: readonly Block[]): Promise<void> {
    return this.#edits.finish({ text: markdown, isLast: true, below });
  }

  #kindOf(isLast: boolean): CallKind {
    if (this.#isClosed) return isLast ? 'last_edit' : 'edit';
    return isLast ? 'stream_stop' : 'stream_append';
  }

  /** Where it can't be appended to any more, and can't be replaced yet, the end brings all. */
  async #grow(answer: string): Promise<void> {
    const markdown = this.#options.settled(answer);
    if (this.#isClosed) return this.#replace(markdown);
    const { api, place } = this.#context;
    const { ts } = this.#options;
    const more = this.#moreThanSaid(markdown);
    if (more === undefined || more === '') return;
    try {
      await appendStream(api, place, ts, more);
      this.#said = markdown;
    } catch (error) {
      if (isClosed(error)) {
        this.#isClosed = true;
        await this.#replace(markdown);
      } else if (error instanceof SlackUnanswered) this.#said = undefined;
      else throw error;
    }
  }

  /** Where Slack takes no charts, it ends with text in their place. */
  async #end(markdown: string, below: readonly Block[]): Promise<void> {
    try {
      await this.#endWith(markdown, below);
    } catch (error) {
      const plainer = withoutCharts(below);
      if (!plainer || !refusesForm(error)) throw error;
      await this.#endWith(markdown, plainer);
    }
  }

  async #endWith(markdown: string, below: readonly Block[]): Promise<void> {
    if (!this.#isClosed && (await this.#stop(markdown, below))) return;
    await this.#replace(markdown, below, this.#options.mark);
  }

  /** @returns Whether it shows the whole text for certain. */
  async #stop(markdown: string, below: readonly Block[]): Promise<boolean> {
    const { api, patientApi, place } = this.#context;
    const { ts, mark } = this.#options;
    const more = this.#moreThanSaid(markdown);
    try {
      if (more !== undefined) {
        await stopStream(api, place, ts, { markdown: more, blocks: below, mark });
        return true;
      }
    } catch (error) {
      if (!isClosed(error) && !(error instanceof SlackUnanswered)) throw error;
    }
    this.#said = undefined;
    try {
      // It may have been stopped by now; what it shows is replaced in any case.
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
    // What comes after its white space may come on a line of its own.
    return more === '' || more?.startsWith('\n') ? more : undefined;
  }

  /** @param mark - Only once it is whole, because whole is what the mark says of a message. */
  #replace(markdown: string, below: readonly Block[] = [], mark?: MessageMark): Promise<void> {
    const { patientApi, place } = this.#context;
    const { ts, bodyOf } = this.#options;
    return updateMessage(patientApi, place, ts, bodyOf(markdown, below), mark);
  }
}

/**
 * The beginning of a growing Markdown text, made inert, that the rest will most likely leave as it
 * is: up to the last whole word, or the last whole line.
 *
 * What it gives for a text is nearly always a beginning of what it gives for more of it. Where it is
 * not, e.g. because code is closed that looked like prose, the end puts it right.
 */
export function settledMarkdown(text: string, upTo: 'word' | 'line'): string {
  const end = upTo === 'line' ? text.lastIndexOf('\n') + 1 : text.search(/\S*$/);
  const settled = text.slice(0, end);
  // Code that is not closed yet would be taken for prose.
  const isInCode = (settled.match(/`{3,}/g)?.length ?? 0) % 2 === 1;
  if (!isInCode) return inertSlackMarkdown(settled);
  const closing = '\n```';
  return inertSlackMarkdown(`${settled}${closing}`).slice(0, -closing.length);
}
