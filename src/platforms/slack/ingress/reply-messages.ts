/** Renders a command's reply as Slack messages. */

import type { types } from '@slack/bolt';
import type { Reply, ReplyBlock } from '../../../../commands/command.ts';
import { firstCharacters } from '../../../domain/words.ts';
import { settingLine } from '../../chat/forms.ts';
import { excerpt, splitMarkdown } from '../../chat/text/split-markdown.ts';
import { visibleText } from '../../chat/text/visible-text.ts';
import type { MessageBody } from '../api/messages.ts';
import {
  type Block,
  button,
  buttonRow,
  markdownBlock,
  maxMarkdownChars,
} from '../presenter/blocks.ts';
import { escapeSlackText, inertSlackMarkdown, slackMoments } from '../slack-text.ts';
import { choiceButtons } from './modals.ts';

/** Slack's limits per message; the number of blocks leaves room for buttons. */
const maxBlocks = 45;
const maxRows = 100;
const maxColumns = 20;
const maxButtons = 25;
const maxTableChars = 9000;
const longestCell = 400;
/** Of the text for notifications and clients that don't show blocks. */
const longestText = 1000;

type BlockOf<Type extends ReplyBlock['type']> = Extract<ReplyBlock, { type: Type }>;

/** A part of a message. Only Markdown may be split. */
type Part = MarkdownPart | TablePart | { readonly kind: 'row'; readonly block: Block };
interface TablePart {
  readonly kind: 'table';
  readonly block: Block;
  /** Characters in all cells; they count towards the limit like Markdown. */
  readonly chars: number;
}
interface MarkdownPart {
  readonly kind: 'markdown';
  /** Inert. */
  readonly text: string;
}

/** @returns At least one message. */
export function replyMessages({ blocks }: Reply): readonly MessageBody[] {
  const parts = joined(blocks.flatMap(partsOf));
  const pages: (readonly Part[])[] = [];
  for (const part of parts) {
    const last = pages.at(-1);
    if (last && fits(last, part)) pages[pages.length - 1] = [...last, part];
    else pages.push([part]);
  }
  if (pages.length === 0) return [plainMessage('Done.')];
  return pages.map((page) => ({ text: noticeOf(page), blocks: page.map(blockOf) }));
}

/** A message of one fixed sentence. */
export function plainMessage(sentence: string): MessageBody {
  return {
    text: slackMoments(escapeSlackText(sentence)),
    blocks: [markdownBlock(slackMoments(inertSlackMarkdown(sentence)))],
  };
}

/** Joins adjacent Markdown and splits it into pieces that fit into a message. */
function joined(parts: readonly Part[]): readonly Part[] {
  const runs: Part[] = [];
  for (const part of parts) {
    const last = runs.at(-1);
    if (last?.kind === 'markdown' && part.kind === 'markdown') {
      runs[runs.length - 1] = { kind: 'markdown', text: `${last.text}\n\n${part.text}` };
    } else runs.push(part);
  }
  return runs.flatMap((part): readonly Part[] =>
    part.kind === 'markdown'
      ? splitMarkdown(part.text, maxMarkdownChars).map((text) => ({ ...part, text }))
      : [part],
  );
}

function fits(page: readonly Part[], part: Part): boolean {
  if (page.length >= maxBlocks) return false;
  // Slack allows one table per message.
  if (part.kind === 'table' && page.some(({ kind }) => kind === 'table')) return false;
  const chars = [...page, part].reduce((sum, one) => sum + charsOf(one), 0);
  return chars <= maxMarkdownChars;
}

function charsOf(part: Part): number {
  if (part.kind === 'markdown') return part.text.length;
  return part.kind === 'table' ? part.chars : 0;
}

function noticeOf(page: readonly Part[]): string {
  const texts = page.flatMap((part) => (part.kind === 'markdown' ? [part.text] : []));
  return excerpt(texts.join('\n\n') || 'Details', longestText);
}

function blockOf(part: Part): Block {
  return part.kind === 'markdown' ? markdownBlock(part.text) : part.block;
}

function partsOf(block: ReplyBlock): readonly Part[] {
  switch (block.type) {
    case 'text':
      return [markdown(block.text)];
    case 'fields':
      return block.fields.map(({ name, value }) => markdown(`**${name}**\n${value}`));
    case 'table':
      return tables(block);
    case 'choices':
      return buttonRows(choiceButtons(block));
    case 'settings':
      return [
        markdown(block.fields.map((field) => `- ${settingLine(field, 'workspace')}`).join('\n')),
        ...buttonRows([button('Open the settings', { kind: 'config', scope: block.scope })]),
      ];
    case 'file':
      return [markdown(`**${block.name}**\n${fenced(block.content)}`)];
    case 'stream':
      return [];
  }
}

function markdown(text: string): MarkdownPart {
  return { kind: 'markdown', text: slackMoments(inertSlackMarkdown(text)) };
}

function buttonRows(buttons: readonly (types.Button | undefined)[]): readonly Part[] {
  const count = Math.ceil(buttons.length / maxButtons);
  return Array.from({ length: count }, (_, index) =>
    buttons.slice(index * maxButtons, (index + 1) * maxButtons),
  ).flatMap((row) => buttonRow(row).map((block): Part => ({ kind: 'row', block })));
}

/** Splits a table that is too long for Slack; each part repeats the header. */
function tables({ header, rows: all }: BlockOf<'table'>): readonly TablePart[] {
  const parts: (readonly (readonly string[])[])[] = [];
  for (const row of all.map(shownRow)) {
    const last = parts.at(-1);
    const isFull = last && (last.length === maxRows || charsIn([...last, row]) > maxTableChars);
    if (last && !isFull) parts[parts.length - 1] = [...last, row];
    else parts.push([shownRow(header), row]);
  }
  return parts.map((rows) => ({
    kind: 'table',
    chars: charsIn(rows),
    block: {
      type: 'table',
      rows: rows.map((row) => row.map((text) => ({ type: 'raw_text', text }))),
    },
  }));
}

/** Slack rejects empty cells. */
function shownRow(row: readonly string[]): readonly string[] {
  return row
    .slice(0, maxColumns)
    .map((text) => firstCharacters(visibleText(text), longestCell).trim() || '–');
}

function charsIn(rows: readonly (readonly string[])[]): number {
  return rows.flat().reduce((sum, text) => sum + text.length, 0);
}

/** Wraps text in a code fence longer than any that it contains. */
function fenced(content: string): string {
  const longest = Math.max(2, ...[...content.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${content.trimEnd()}\n${fence}`;
}
