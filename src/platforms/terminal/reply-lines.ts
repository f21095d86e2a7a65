/** Formats what a command replies. */

import type { Reply, ReplyBlock } from '../../../commands/command.ts';
import { alignedRows, padLine, widthOf } from '../chat/text/text-width.ts';
import type { Page } from './page.ts';
import { localTimes, plainName, plainReason, plainText } from './plain-text.ts';
import { noticeLines, prose } from './prose.ts';

type Lines = readonly string[];
type BlockOf<Type extends ReplyBlock['type']> = Extract<ReplyBlock, { type: Type }>;

function fieldLines(fields: BlockOf<'fields'>['fields'], page: Page): Lines {
  const names = fields.map(({ name }) => plainName(name));
  const widest = Math.max(0, ...names.map(widthOf));
  return fields.flatMap(({ value }, place) => {
    const name = names[place] ?? '';
    const label = page.palette.quiet(padLine(name, widest));
    const layout = { palette: page.palette, width: page.width - widest - 2 };
    const lines = prose(localTimes(value), layout);
    return lines.map((line, row) => `${row === 0 ? label : ' '.repeat(widest)}  ${line}`);
  });
}

/** Columns where they fit, else every row as a list of fields. */
function tableLines({ header, rows }: BlockOf<'table'>, page: Page): Lines {
  const [titles = [], ...cells] = [header, ...rows].map((row) =>
    row.slice(0, header.length).map(plainName),
  );
  const aligned = alignedRows([titles.map(page.palette.strong), ...cells]);
  if (aligned.every((line) => widthOf(line) <= page.width)) return aligned;
  return rows.flatMap((row, place) => [
    ...(place === 0 ? [] : ['']),
    ...fieldLines(
      header.map((name, column) => ({ name, value: row[column] ?? '' })),
      page,
    ),
  ]);
}

function choiceLines({ choices }: BlockOf<'choices'>, page: Page): Lines {
  return alignedRows(
    choices.map(({ label, command }) => [
      plainName(label),
      page.palette.code(`/council ${plainName(command)}`),
    ]),
  );
}

function settingLines({ fields }: BlockOf<'settings'>, page: Page): Lines {
  return fieldLines(
    fields.map(({ name, value, origin, setBy, problem, ignored }) => ({
      name,
      value: [
        `${value} (${setBy ? `${origin}, set by ${setBy}` : origin})`,
        ...ignored,
        ...(problem ? [problem] : []),
      ].join('\n'),
    })),
    page,
  );
}

function isText(mediaType: string): boolean {
  return /^text\/|[/+](?:json|yaml|xml)\b/.test(mediaType);
}

/** @param save - Saves a file and gives its path. */
type SaveFile = (name: string, content: string | AsyncIterable<string>) => Promise<string>;

/** A person at a terminal gets a file; a pipe gets the text, so that it can be directed anywhere. */
async function fileLines(block: BlockOf<'file'>, page: Page, save: SaveFile): Promise<Lines> {
  if (!page.isLive && block.isDrawn) return [];
  if (!page.isLive && isText(block.mediaType))
    return plainText(block.content).trimEnd().split('\n');
  return savedLines(block.name, block.content, page, save);
}

async function savedLines(
  given: string,
  content: string | AsyncIterable<string>,
  page: Page,
  save: SaveFile,
): Promise<Lines> {
  const name = plainName(given);
  try {
    const path = await save(given, content);
    return noticeLines(`Saved ${name} as ${path}`, 'good', page);
  } catch (error) {
    return noticeLines(`${name} could not be saved: ${plainReason(error)}`, 'bad', page);
  }
}

async function blockLines(block: ReplyBlock, page: Page, save: SaveFile): Promise<Lines> {
  switch (block.type) {
    case 'text':
      return prose(localTimes(block.text).trimEnd(), page);
    case 'fields':
      return fieldLines(block.fields, page);
    case 'table':
      return tableLines(block, page);
    case 'choices':
      return choiceLines(block, page);
    case 'settings':
      return settingLines(block, page);
    case 'file':
      return fileLines(block, page, save);
    case 'stream':
      return savedLines(block.name, block.portions, page, save);
  }
}

/** @returns The blocks in order, a blank line between two of them. */
export async function replyLines(reply: Reply, page: Page, save: SaveFile): Promise<Lines> {
  const lines: string[] = [];
  for (const block of reply.blocks) {
    if (lines.length > 0) lines.push('');
    lines.push(...(await blockLines(block, page, save)));
  }
  return lines;
}
