/** Renders a command's reply as Slack messages. */

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
import { asMrkdwn, inertSlackMarkdown, slackMoments } from '../slack-text.ts';
import { choiceButtons } from './modals.ts';

/** Slack's limits per message; the number of blocks leaves room for buttons. */
const maxBlocks = 45;
const maxRows = 100;
const maxTableChars = 9000;
const longestCell = 400;
/** Of the text for notifications and clients that don't show blocks. */
const longestText = 1000;

/** @returns At least one message. */
export function replyMessages({ blocks }: Reply): readonly MessageBody[] {
  const pages: Block[][] = [];
  for (const block of joined(blocks.flatMap(blocksOf))) {
    const last = pages.at(-1);
    if (last && fits(last, block)) last.push(block);
    else pages.push([block]);
  }
  if (pages.length === 0) return [plainMessage('Done.')];
  return pages.map((page) => ({ text: noticeOf(page), blocks: page }));
}

/** A message of one fixed sentence. */
export function plainMessage(sentence: string): MessageBody {
  const blocks = [markdown(sentence)];
  return { text: noticeOf(blocks), blocks };
}

/** Joins adjacent Markdown and splits it into pieces that fit into a message. */
function joined(blocks: readonly Block[]): readonly Block[] {
  const runs: Block[] = [];
  for (const block of blocks) {
    const last = runs.at(-1);
    if (last?.type === 'markdown' && block.type === 'markdown') {
      runs[runs.length - 1] = markdownBlock(`${last.text}\n\n${block.text}`);
    } else runs.push(block);
  }
  return runs.flatMap((block) =>
    block.type === 'markdown'
      ? splitMarkdown(block.text, maxMarkdownChars).map(markdownBlock)
      : [block],
  );
}

function fits(page: readonly Block[], block: Block): boolean {
  if (page.length >= maxBlocks) return false;
  // Slack allows one table per message.
  if (block.type === 'table' && page.some(({ type }) => type === 'table')) return false;
  const chars = [...page, block].reduce((sum, one) => sum + charsOf(one), 0);
  return chars <= maxMarkdownChars;
}

/** Characters in a table's cells count towards the limit like Markdown. */
function charsOf(block: Block): number {
  if (block.type === 'markdown') return block.text.length;
  if (block.type !== 'table') return 0;
  return charsIn(
    block.rows.map((row) => row.map((cell) => ('text' in cell ? `${cell.text}` : ''))),
  );
}

function noticeOf(page: readonly Block[]): string {
  const texts = page.flatMap((block) => (block.type === 'markdown' ? [block.text] : []));
  return asMrkdwn(excerpt(texts.join('\n\n') || 'Details', longestText));
}

/** The blocks of a part of a reply; Markdown is inert and may be too long. */
function blocksOf(block: ReplyBlock): readonly Block[] {
  switch (block.type) {
    case 'text':
      return [markdown(block.text)];
    case 'fields':
      return block.fields.map(({ name, value }) => markdown(`**${name}**\n${value}`));
    case 'table':
      return tables(block);
    case 'choices':
      return buttonRow(choiceButtons(block));
    case 'settings':
      return [
        markdown(block.fields.map((field) => `- ${settingLine(field, 'workspace')}`).join('\n')),
        ...buttonRow([button('Open the settings', { kind: 'config', scope: block.scope })]),
      ];
    case 'file':
      return [markdown(`**${block.name}**\n${fenced(block.content)}`)];
    case 'stream':
      return [];
  }
}

function markdown(text: string): Block {
  return markdownBlock(slackMoments(inertSlackMarkdown(text)));
}

/** Splits a table that is too long for Slack; each part repeats the header. */
function tables({ header, rows: all }: Extract<ReplyBlock, { type: 'table' }>): readonly Block[] {
  const parts: (readonly (readonly string[])[])[] = [];
  for (const row of all.map(shownRow)) {
    const last = parts.at(-1);
    const isFull = last && (last.length === maxRows || charsIn([...last, row]) > maxTableChars);
    if (last && !isFull) parts[parts.length - 1] = [...last, row];
    else parts.push([shownRow(header), row]);
  }
  return parts.map((rows) => ({
    type: 'table',
    rows: rows.map((row) => row.map((text) => ({ type: 'raw_text', text }))),
  }));
}

/** Slack rejects empty cells. */
function shownRow(row: readonly string[]): readonly string[] {
  return row.map((text) => firstCharacters(visibleText(text), longestCell).trim() || '–');
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
