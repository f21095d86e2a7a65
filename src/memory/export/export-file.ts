/** An export in one of its formats, as a file: Markdown, HTML or JSON. */

import { setImmediate as breathe } from 'node:timers/promises';
import { escapeHtml, firstSentences, shownTime } from '../../domain/words.ts';
import { pageBegin, pageEnd, spokenHtml } from '../../pages/page.ts';
import { type Note, type Spoken, spokenAlone, spokenInTurn } from '../../pages/spoken.ts';
import { type ExportWriter, jsonWriter, type ReadableThread } from './export.ts';

export const exportFormats = ['markdown', 'json', 'html'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** A file that is made as it is asked for. */
export interface ExportFile {
  /** Letters, digits, dots, dashes and underscores alone. */
  readonly name: string;
  readonly mediaType: string;
  /** Of at most one turn each. */
  readonly portions: AsyncIterable<string>;
}

/** Everything said stands in a quotation, so that it can't pose as the words of another. */
const markdownWriter = {
  begin: (place) => `# What was said in ${inline(place)}\n\nTimes are UTC.\n\n`,
  async *thread(thread) {
    yield `## Thread ${inline(thread.threadId)}`;
    for await (const said of spokenInOrder(thread)) {
      yield said.map((one) => `\n\n${spokenMarkdown(one)}`).join('');
    }
    yield '\n';
  },
  between: '\n',
  end: '',
} as const satisfies ExportWriter;

const longestTitle = 120;

const htmlWriter = {
  begin: (place) => {
    const isThread = place.split(':').length > 3;
    const title = isThread ? 'A conversation with the council' : 'Conversations with the council';
    return pageBegin(title, `${place}. Times are UTC.`);
  },
  thread: threadHtml,
  between: '\n',
  end: pageEnd,
} as const satisfies ExportWriter;

const forms = {
  markdown: { ending: 'md', mediaType: 'text/markdown', writer: markdownWriter },
  json: { ending: 'json', mediaType: 'application/json', writer: jsonWriter },
  html: { ending: 'html', mediaType: 'text/html', writer: htmlWriter },
} as const;

/** @param threads - Read once. */
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

/** A whole file; nothing where it is longer than so many bytes, and then no more of it is made. */
export async function textWithin(
  portions: AsyncIterable<string>,
  mostBytes: number,
): Promise<string | undefined> {
  const kept: string[] = [];
  let bytes = 0;
  for await (const portion of portions) {
    bytes += Buffer.byteLength(portion);
    if (bytes > mostBytes) return undefined;
    kept.push(portion);
  }
  return kept.join('');
}

/** What the export of a place lacks, for people; empty when it is complete. */
export function missingFrom(read: {
  readonly unfinished: number;
  readonly isPart: boolean;
  readonly hidden: number;
}): readonly string[] {
  const { unfinished, isPart, hidden } = read;
  return [
    ...(unfinished > 0
      ? [
          `${unfinished === 1 ? 'One question' : `${unfinished} questions`} without an end yet: not in it.`,
        ]
      : []),
    ...(hidden > 0
      ? [
          `${hidden === 1 ? 'One private thread' : `${hidden} private threads`} of this channel: not in it.`,
        ]
      : []),
    ...(isPart
      ? [
          'The channel is long: only threads with one of its newest 2,000 messages are in it, each whole. The operator gets all with `npm run council -- export`.',
        ]
      : []),
  ];
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

/** A name as words: none of its signs is Markdown, and none of them HTML. */
function inline(name: string): string {
  return name.replace(/[\\`*_{}[\]<>()#+!|~&]/g, '\\$&');
}

/** Of one turn or one message at a time. At the same moment what belongs to no turn comes first. */
export async function* spokenInOrder(thread: ReadableThread): AsyncGenerator<readonly Spoken[]> {
  const messages = anyway(thread.messages);
  let next = await messages.next();
  for await (const turn of thread.turns) {
    for (; !next.done && next.value.createdAt <= turn.createdAt; next = await messages.next()) {
      yield spokenAlone(next.value);
    }
    yield spokenInTurn(turn);
  }
  for (; !next.done; next = await messages.next()) yield spokenAlone(next.value);
}

async function* anyway<Item>(items: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<Item> {
  yield* items;
}

/** Lets others go first after each turn: reading the Markdown of a long channel takes seconds. */
async function* threadHtml(thread: ReadableThread): AsyncGenerator<string> {
  let isBegun = false;
  for await (const said of spokenInOrder(thread)) {
    if (!isBegun) yield beginOf(titleOf(said) ?? thread.threadId);
    isBegun = true;
    yield said.map((one) => `\n${spokenHtml(one)}`).join('');
    await breathe();
  }
  if (!isBegun) yield beginOf(thread.threadId);
  yield '\n</section>';
}

function beginOf(title: string): string {
  return `<section>\n<h2>${escapeHtml(title)}</h2>`;
}

/** What was asked first. */
function titleOf(said: readonly Spoken[]): string | undefined {
  const asked = said.find(({ kind }) => kind === 'question');
  return asked && firstSentences(asked.text, longestTitle);
}
