/** Formats the replies of commands, and saves their files. */

import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import type { Reply, ReplyBlock } from '../../../commands/command.ts';
import { alignedRows, padLine, widthOf } from '../chat/text/text-width.ts';
import type { Page } from './page.ts';
import { noticeLines, prose } from './prose.ts';
import { localTimes, plainName, plainReason, plainText } from './terminal-text.ts';

type Lines = readonly string[];
type BlockOf<Type extends ReplyBlock['type']> = Extract<ReplyBlock, { type: Type }>;

/** Lines up names and values in two columns; if names need more than half the width, values go below them. */
function fieldLines(fields: BlockOf<'fields'>['fields'], page: Page): Lines {
  const { palette, width } = page;
  const names = fields.map(({ name }) => plainName(name));
  const widest = Math.max(0, ...names.map(widthOf));
  const isStacked = widest > width / 2;
  const margin = ' '.repeat(isStacked ? 2 : widest + 2);
  return fields.flatMap(({ value }, index) => {
    const name = names[index] ?? '';
    const lines = prose(localTimes(value), { palette, width: width - margin.length });
    if (isStacked) {
      return [...noticeLines(name, 'quiet', page), ...lines.map((line) => margin + line)];
    }
    const label = `${palette.quiet(padLine(name, widest))}  `;
    return lines.map((line, row) => `${row === 0 ? label : margin}${line}`);
  });
}

/** Lays out a table in columns if it fits, else each row as a list of fields. */
function tableLines({ header, rows }: BlockOf<'table'>, page: Page): Lines {
  const [titles = [], ...cells] = [header, ...rows].map((row) =>
    row.slice(0, header.length).map(plainName),
  );
  const aligned = alignedRows([titles.map(page.palette.strong), ...cells]);
  if (aligned.every((line) => widthOf(line) <= page.width)) return aligned;
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : ['']),
    ...fieldLines(
      header.map((name, column) => ({ name, value: row[column] ?? '' })),
      page,
    ),
  ]);
}

function choiceLines(
  { choices }: BlockOf<'choices'>,
  page: Page,
  typed: (command: string) => string,
): Lines {
  return alignedRows(
    choices.map(({ label, command }) => [
      plainName(label),
      page.palette.code(plainName(typed(command))),
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

type SaveFile = (name: string, content: string | AsyncIterable<string>) => Promise<string>;

/** Saves a file for a person at a terminal; prints text files to a pipe, so that it can be redirected. */
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

/**
 * @param typed - Returns what people type for the command of a choice.
 * @returns The blocks in order, separated by blank lines.
 */
export async function replyLines(
  reply: Reply,
  page: Page,
  save: SaveFile,
  typed = (command: string) => `/council ${command}`,
): Promise<Lines> {
  const linesOf = async (block: ReplyBlock): Promise<Lines> => {
    switch (block.type) {
      case 'text':
        return prose(localTimes(block.text).trimEnd(), page);
      case 'fields':
        return fieldLines(block.fields, page);
      case 'table':
        return tableLines(block, page);
      case 'choices':
        return choiceLines(block, page, typed);
      case 'settings':
        return settingLines(block, page);
      case 'file':
        return fileLines(block, page, save);
      case 'stream':
        return savedLines(block.name, block.portions, page, save);
    }
  };
  const lines: string[] = [];
  for (const block of reply.blocks) {
    if (lines.length > 0) lines.push('');
    lines.push(...(await linesOf(block)));
  }
  return lines;
}

/** Readable by the owner only, because files contain conversations. */
const mode = 0o600;

/** Makes a name that can't leave the folder or be a hidden file. */
function safeName(name: string): string {
  const kept = name.replace(/[^\p{L}\p{N}._ -]+/gu, '-').replace(/^[. -]+/, '');
  return kept.slice(0, 120).trim() || 'council-file';
}

/**
 * Writes a new file, readable by its owner only. Never overwrites a file: a taken name gets a number. Until the
 * file is complete, its name ends in `.part`.
 *
 * @param content - Portions are requested one at a time, as the disk accepts them.
 * @param signal - Aborting it deletes what was written.
 * @returns The path of the file. Throws the system's error if the folder is not writable, and errors of `content`.
 */
export async function saveFile(
  folder: string,
  name: string,
  content: string | AsyncIterable<string>,
  signal?: AbortSignal,
): Promise<string> {
  const safe = safeName(name);
  const part = join(folder, `${safe}.${randomUUID().slice(0, 8)}.part`);
  try {
    await writeFile(part, content, { flag: 'wx', mode, signal });
    const path = await reserveName(folder, safe);
    await rename(part, path);
    return path;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** Creates an empty file with a free name. */
async function reserveName(folder: string, name: string): Promise<string> {
  const { name: stem, ext } = parse(name);
  for (let attempt = 1; ; attempt += 1) {
    const path = join(folder, attempt === 1 ? stem + ext : `${stem}-${attempt}${ext}`);
    try {
      await writeFile(path, '', { flag: 'wx', mode });
      return path;
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EEXIST';
      if (!isTaken) throw error;
    }
  }
}

/** Saves files in a folder, which is created with the first one. */
export function fileSaver(folder: string): SaveFile {
  return async (name, content) => {
    await mkdir(folder, { recursive: true });
    return saveFile(folder, name, content);
  };
}
