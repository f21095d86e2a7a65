/** A message that grows: appended to while Slack keeps its stream open, edited after that. */

import { Marked } from 'marked';
import { emStrong } from '../../../domain/markdown.ts';
import { spacelessSigns } from '../../../domain/words.ts';
import type { CallKind } from '../../chat/pacing/call-ledger.ts';
import { UnansweredError } from '../../chat/pacing/platform-error.ts';
import { type MessageBody, type SpeakingAs, updateMessage } from '../api/messages.ts';
import { endStream, isClosed, stopStream } from '../api/streams.ts';
import { SlackRefusal } from '../slack-error.ts';
import { inertSlackMarkdown } from '../slack-text.ts';
import { type Block, drawnOrInText, markdownBlock, refusesForm } from './blocks.ts';
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

export type GrowingMessage = ReturnType<typeof growingMessage>;

/** @param known - Its current text; absent: unknown, so the end replaces all of it. */
export function growingMessage(context: TurnContext, voice: Voice, ts: string, known?: string) {
  const { api, patientApi, pacer, place, turnId, log, signal } = context;
  const { team, channel } = place;
  const mark = { turnId, part: voice.part };
  /** The text that Slack certainly has; `undefined` once that is unknown. */
  let said = known;
  /** Slack accepts no more appends. */
  let isEnded = false;

  function kindOf(isLast: boolean): CallKind {
    if (isEnded) return isLast ? 'last_edit' : 'edit';
    return isLast ? 'stream_stop' : 'stream_append';
  }

  /** If an append gets no answer, growth stops and the end replaces the whole text. */
  async function grow(answer: string): Promise<void> {
    const markdown = voice.settled(answer);
    const replace = () => updateMessage(patientApi, place, ts, bodyIn(voice, markdown, []));
    if (isEnded) return replace();
    const more = moreThanSaid(markdown);
    if (more === undefined || more === '') return;
    try {
      await api.call(team, 'chat.appendStream', { channel, ts, markdown_text: more });
      said = markdown;
    } catch (error) {
      if (isClosed(error)) {
        isEnded = true;
        await replace();
      } else if (error instanceof UnansweredError) said = undefined;
      else throw error;
    }
  }

  /** Appends the rest and ends the stream. Unless Slack certainly has all of it then, replaces the whole text. */
  async function end(markdown: string, below: readonly Block[]): Promise<void> {
    const more = isEnded ? undefined : moreThanSaid(markdown);
    if (more !== undefined) {
      try {
        return await stopStream(api, place, ts, { markdown: more, blocks: below, mark });
      } catch (error) {
        const isRefused = error instanceof SlackRefusal && !refusesForm(error);
        if (!isRefused && !(error instanceof UnansweredError)) throw error;
      }
    }
    if (!isEnded) await endStream(patientApi, place, ts);
    isEnded = true;
    // Only now with its mark, because that means that the message is complete.
    await updateMessage(patientApi, place, ts, bodyIn(voice, markdown, below), mark);
  }

  function moreThanSaid(markdown: string): string | undefined {
    if (said === undefined) return undefined;
    if (markdown.startsWith(said)) return markdown.slice(said.length);
    const trimmed = said.trimEnd();
    const more = markdown.startsWith(trimmed) ? markdown.slice(trimmed.length) : undefined;
    // Slack shows white space here that the text lacks. Only a line break hides it.
    return more === '' || more?.startsWith('\n') ? more : undefined;
  }

  const edits = pacer.edits<State>({
    destination: { thread: `${channel} ${ts}`, channel },
    kindOf,
    shown: { text: '', isLast: false },
    edit: ({ text, isLast, below = [] }) =>
      isLast ? drawnOrInText(below, context, (blocks) => end(text, blocks)) : grow(text),
    onEditFailed: (error) => log.info({ turnId, error }, 'an answer could not be shown as it grew'),
    signal,
  });

  return {
    ts,

    /** @param answer - The whole text so far. */
    show(answer: string): void {
      if (said !== undefined || isEnded) edits.show({ text: answer, isLast: false });
    },

    /**
     * Resolves once it shows the text as an ordinary message. Rejects with Slack's refusals.
     *
     * @param below - Blocks below the text.
     */
    finish: (markdown: string, below: readonly Block[]) =>
      edits.finish({ text: markdown, isLast: true, below }),
  };
}

/**
 * Returns the part of a growing Markdown text that most likely won't change, made inert: up to the last
 * whole word or line, without emphasis, code or a link that has only begun.
 *
 * The result is nearly always a prefix of the result for a longer text. Where it is not, e.g. because
 * apparent prose turns out to be code, the final edit corrects it.
 */
export function settledMarkdown(text: string, upTo: 'word' | 'line'): string {
  const end = upTo === 'line' ? text.lastIndexOf('\n') + 1 : text.search(lastWord);
  const settled = text.slice(0, end);
  // An open code fence would be treated as prose.
  const isInCode = (settled.match(/`{3,}/g)?.length ?? 0) % 2 === 1;
  if (!isInCode) return inertSlackMarkdown(settled.slice(0, openMarkIn(settled)));
  const closing = '\n```';
  return inertSlackMarkdown(`${settled}${closing}`).slice(0, -closing.length);
}

/** In scripts without spaces, the last sign, which combining marks may still follow. */
const lastWord = new RegExp(
  String.raw`(?:[*_~\x60]*[${spacelessSigns}]\p{M}*|[^\s${spacelessSigns}]*)$`,
  'u',
);
const marked = new Marked({ tokenizer: { emStrong } });
/** How many characters of emphasis, code or a link are held back; longer ones are shown with their marks. */
const longestOpen = 300;
/** A mark that may begin emphasis, code or a link. */
const openMark = /(?:(?<![\p{L}\p{N}])(?:[*_`]+|~~|!?\[(?![^[\]]*\][^(]))|(?<!\w)\*\*)(?=\S)/gu;

/** Finds the first mark in the last line whose end is missing; the text's length if there is none. */
function openMarkIn(text: string): number {
  let at = Math.max(text.lastIndexOf('\n') + 1, text.length - 2 * longestOpen);
  for (const { type, raw } of marked.Lexer.lexInline(text.slice(at), marked.defaults)) {
    const marks = type === 'text' ? [...raw.matchAll(openMark)] : [];
    const open = marks.find(({ index }) => text.length - at - index <= longestOpen);
    if (open) return at + open.index;
    at += raw.length;
  }
  return text.length;
}
