/** Writes an export as a Markdown, HTML or JSON file. */

import { setImmediate as breathe } from 'node:timers/promises';
import { counted, escapeHtml, firstSentences, printable, shownTime } from '../../domain/words.ts';
import { pageBegin, pageEnd, spokenHtml } from '../../pages/page.ts';
import { langOf } from '../../pages/said-html.ts';
import { type Note, type Spoken, spokenInTurn, spokenOf } from '../../pages/spoken.ts';
import { type ExportWriter, jsonWriter, type ReadableThread } from './export.ts';
import type { ReadPlace } from './read-place.ts';

export const exportFormats = ['markdown', 'json', 'html'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** A file that is written while it is read. */
export interface ExportFile {
  /** Letters, digits, dots, dashes and underscores only. */
  readonly name: string;
  readonly mediaType: string;
  /** Consecutive parts of the text, each of at most one turn. */
  readonly portions: AsyncIterable<string>;
}

/** Quotes everything that was said and makes it printable, so no text can pose as another speaker's, in a terminal either. */
const markdownWriter = {
  begin: (place) =>
    `# ${titleOfPlace(place)}\n\nExported from ${inline(place)}. Times are UTC.\n\n`,
  thread: (thread) =>
    threadIn(thread, {
      begin: (title) => `## ${printable(inline(title))}`,
      say: (one) => `\n\n${printable(spokenMarkdown(one))}`,
      end: '\n',
    }),
  between: '\n',
  end: '',
} as const satisfies ExportWriter;

const htmlWriter = {
  begin: (place) => pageBegin(titleOfPlace(place), `Exported from ${place}. Times are UTC.`),
  thread: (thread) =>
    threadIn(thread, {
      begin: (title) => `<section>\n<h2${langOf(title)}>${escapeHtml(title)}</h2>`,
      say: (one) => `\n${spokenHtml(one)}`,
      end: '\n</section>',
    }),
  between: '\n',
  end: pageEnd,
} as const satisfies ExportWriter;

const forms = {
  markdown: { ending: 'md', mediaType: 'text/markdown', writer: markdownWriter },
  json: { ending: 'json', mediaType: 'application/json', writer: jsonWriter },
  html: { ending: 'html', mediaType: 'text/html', writer: htmlWriter },
} as const;

/** @param threads - Iterated once. */
export function exportFile(
  place: string,
  threads: Iterable<ReadableThread> | AsyncIterable<ReadableThread>,
  form: ExportFormat,
): ExportFile {
  const { ending, mediaType, writer } = forms[form];
  const named = place.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 80);
  return { name: `council-${named}.${ending}`, mediaType, portions: portionsOf(writer) };

  async function* portionsOf(written: ExportWriter): AsyncGenerator<string> {
    yield written.begin(place);
    let isFirst = true;
    for await (const thread of threads) {
      if (!isFirst) yield written.between;
      yield* written.thread(thread);
      isFirst = false;
    }
    yield written.end;
  }
}

/** The text of a whole file, or `undefined` as soon as it exceeds the limit. */
export async function textWithin(
  portions: AsyncIterable<string>,
  maxBytes: number,
): Promise<string | undefined> {
  const kept: string[] = [];
  let bytes = 0;
  for await (const portion of portions) {
    bytes += Buffer.byteLength(portion);
    if (bytes > maxBytes) return undefined;
    kept.push(portion);
  }
  return kept.join('');
}

/** Sentences for people about what an export lacks; none if it is complete. */
export function exportGaps({ unfinished, hidden, heardIn = 0 }: ReadPlace): readonly string[] {
  const gaps = [
    ...(unfinished > 0 ? [counted(unfinished, 'unfinished question')] : []),
    ...(hidden > 0 ? [`${counted(hidden, 'private thread')} of this channel`] : []),
    ...(heardIn > 0 ? [`own words in what was read for ${counted(heardIn, 'question')}`] : []),
  ];
  return gaps.map((gap) => `Left out: ${gap}.`);
}

const marks: Readonly<Record<Spoken['kind'], string>> = {
  question: 'asked',
  answer: 'answered',
  verdict: '',
  review: 'reviewed',
};

function spokenMarkdown({ kind, speaker, at, text, notes }: Spoken): string {
  const heading = ['###', inline(speaker), marks[kind], `· ${shownTime(at)}`];
  return [heading.filter(Boolean).join(' '), quoted(text), ...notes.map(noteMarkdown)].join('\n\n');
}

function noteMarkdown({ name, lines }: Note): string {
  const [only = ''] = lines;
  if (lines.length === 1) return quoted(`**${name}:** ${only}`);
  return quoted(
    `**${name}:**\n\n${lines.map((line) => `- ${line.replace(/\s+/g, ' ')}`).join('\n')}`,
  );
}

function quoted(text: string): string {
  return text
    .trim()
    .split(/\r\n|[\r\n]/)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

/** Escapes a name for Markdown and HTML. */
function inline(name: string): string {
  return name.replace(/[\\`*_{}[\]<>()#+!|~&]/g, '\\$&');
}

/** A thread in order of time, one turn or message per step; messages come before turns of the same moment. */
async function* spokenInOrder(thread: ReadableThread): AsyncGenerator<readonly Spoken[]> {
  const messages = asyncly(thread.messages);
  let next = await messages.next();
  for await (const turn of thread.turns) {
    for (; !next.done && next.value.createdAt <= turn.createdAt; next = await messages.next()) {
      yield [spokenOf(next.value)];
    }
    yield spokenInTurn(turn);
  }
  for (; !next.done; next = await messages.next()) yield [spokenOf(next.value)];
}

async function* asyncly<Item>(items: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<Item> {
  yield* items;
}

function titleOfPlace(place: string): string {
  const isThread = place.split(':').length > 3;
  return isThread ? 'A conversation with the council' : 'Conversations with the council';
}

const maxTitleChars = 120;

/** How a format writes a thread. */
interface ThreadForm {
  readonly begin: (title: string) => string;
  readonly say: (said: Spoken) => string;
  readonly end: string;
}

/**
 * Writes a thread below the start of its first question. Yields to the event loop after each turn: parsing the
 * Markdown of a long channel takes seconds.
 */
async function* threadIn(
  thread: ReadableThread,
  { begin, say, end }: ThreadForm,
): AsyncGenerator<string> {
  let isBegun = false;
  for await (const said of spokenInOrder(thread)) {
    if (!isBegun) yield begin(titleOf(said) ?? thread.threadId);
    isBegun = true;
    yield said.map(say).join('');
    await breathe();
  }
  if (!isBegun) yield begin(thread.threadId);
  yield end;
}

/** The start of the first question, if there is one. */
function titleOf(said: readonly Spoken[]): string | undefined {
  const asked = said.find(({ kind }) => kind === 'question');
  return asked && firstSentences(asked.text, maxTitleChars);
}
