/**
 * Builds Slack's blocks. Text from models goes into `markdown` blocks and is made inert first; our own
 * words and names go into `rich_text` and plain text, where nothing is interpreted as markup.
 */

import type { types } from '@slack/bolt';
import type { TurnWords } from '../../../domain/languages/english.ts';
import type { Log } from '../../../domain/log.ts';
import { shareBar } from '../../../domain/turn-words.ts';
import { dayOf, firstCharacters } from '../../../domain/words.ts';
import type { VerdictOffers } from '../../chat/asking/turn-actions.ts';
import type { RankingWords } from '../../chat/show/verdict-words.ts';
import { type Action, encodeAction, menuId } from '../action-id.ts';
import type { Block, ChartBlock, MessageBody } from '../api/messages.ts';
import { isRefusal } from '../slack-error.ts';
import { slackNotice } from '../slack-text.ts';

export type { Block };
export type RichTextPart =
  | types.RichTextText
  | types.RichTextLink
  | types.RichTextUserMention
  | types.RichTextDate;

/** Characters of Markdown per message. Slack allows 12,000, including other blocks. */
export const maxMarkdownChars = 11_000;
const longest = { header: 150, smallPrint: 1900, label: 75 } as const;

/** @param text - At most {@link maxMarkdownChars}, and inert. */
export function markdownBlock(text: string): Block {
  return { type: 'markdown', text };
}

export function headerBlock(text: string): Block {
  return { type: 'header', text: plain(firstCharacters(text, longest.header)) };
}

/** Sentences in small print; no block if there are none. */
export function smallPrint(sentences: readonly string[]): readonly Block[] {
  const text = firstCharacters(sentences.join('\n'), longest.smallPrint);
  return text.trim() === '' ? [] : [{ type: 'context', elements: [plain(text)] }];
}

export function words(text: string): RichTextPart {
  return { type: 'text', text };
}

export function bold(text: string): RichTextPart {
  return { type: 'text', text, style: { bold: true } };
}

/** Mentions a person, which notifies them: only for the person who asked. */
export function mention(userId: string): RichTextPart {
  return { type: 'user', user_id: userId };
}

/** A date in the reader's time zone. @param at - Milliseconds since 1970. */
export function date(at: number): RichTextPart {
  const timestamp = Math.floor(at / 1000);
  return { type: 'date', timestamp, format: '{date_short_pretty}', fallback: dayOf(at) };
}

/** Monospaced text. */
export function code(text: string): RichTextPart {
  return { type: 'text', text, style: { code: true } };
}

export function link(text: string, url: string): RichTextPart {
  return { type: 'link', text, url };
}

/** One paragraph for each list of parts. */
export function paragraphs(...texts: readonly (readonly RichTextPart[])[]): Block {
  return {
    type: 'rich_text',
    elements: texts.map((parts) => ({
      type: 'rich_text_section',
      // Slack rejects empty text.
      elements: parts.filter((part) => !('text' in part) || part.text !== ''),
    })),
  };
}

/** A row of buttons; `undefined` ones are left out, and so is an empty row. */
export function buttonRow(buttons: readonly (types.Button | undefined)[]): readonly Block[] {
  const elements = buttons.filter((one) => one !== undefined);
  return elements.length === 0 ? [] : [{ type: 'actions', elements }];
}

/** @returns `undefined` if the action is too long for a button. */
export function button(
  label: string,
  action: Action,
  style?: 'primary' | 'danger',
): types.Button | undefined {
  const ids = encodeAction(action);
  if (!ids) return undefined;
  const text = plain(firstCharacters(label, longest.label));
  return { type: 'button', text, ...ids, ...(style ? { style } : {}) };
}

/** The menu of sages that can be asked again; no block if there are none. */
export function againMenu(
  turnId: string,
  again: VerdictOffers['again'],
  label: string,
): readonly Block[] {
  if (again.length === 0) return [];
  const options = again.map(({ label, pick }) => ({
    text: plain(firstCharacters(label, longest.label)),
    value: pick,
  }));
  const placeholder = plain(label);
  const action_id = menuId(turnId);
  return [
    { type: 'actions', elements: [{ type: 'static_select', action_id, placeholder, options }] },
  ];
}

/** Two small buttons to rate a verdict. */
export function feedbackRow(turnId: string, labels: TurnWords): readonly Block[] {
  const good = encodeAction({ kind: 'feedback', turnId, rating: 'good' });
  const bad = encodeAction({ kind: 'feedback', turnId, rating: 'bad' });
  if (!good || !bad) return [];
  return [
    {
      type: 'context_actions',
      elements: [
        {
          type: 'feedback_buttons',
          action_id: good.action_id,
          positive_button: { text: plain(labels.good), value: good.value },
          negative_button: { text: plain(labels.bad), value: bad.value },
        },
      ],
    },
  ];
}

/** Slack allows 40,000 characters of text but recommends far fewer. */
const maxPlainChars = 12_000;

/** A message with its Markdown as text and no blocks, for when Slack rejects those. */
export function withoutBlocks({ text, blocks }: MessageBody): MessageBody {
  const said = blocks.flatMap((block) => (block.type === 'markdown' ? [block.text] : []));
  const shown = said.length === 0 ? text : slackNotice(said.join('\n\n'), maxPlainChars);
  return { text: shown, blocks: [] };
}

export function plain(text: string): types.PlainTextElement {
  return { type: 'plain_text', text, emoji: true };
}

/** Slack's limits, in characters. It draws 20 bars, and at most 8 sages are seated. */
const longestInChart = { title: 50, label: 20 } as const;

/** A ranking as Slack's chart block, which follows the reader's theme. */
export function rankingChartBlock({ title, rows }: RankingWords): ChartBlock {
  // Labels must be distinct; the place in front ensures that.
  const bars = rows.map(({ name, score }, index) => ({
    label: firstCharacters(`${index + 1}. ${name}`, longestInChart.label),
    value: Math.round(score * 100),
  }));
  return {
    type: 'data_visualization',
    title: firstCharacters(title, longestInChart.title),
    chart: {
      type: 'bar',
      series: [{ name: '%', data: bars }],
      axis_config: { categories: bars.map(({ label }) => label) },
    },
  };
}

/** What {@link drawnOrInText} needs to know of the turn. */
export interface Drawing {
  readonly turnId: string;
  readonly log: Log;
  /** Types of blocks that Slack has rejected in this turn; they are not tried again. */
  readonly rejected: Set<Block['type']>;
}

/** Sends blocks; if Slack rejects their form, with charts and plans replaced by text; if it still does, none. */
export async function drawnOrInText<Result>(
  blocks: readonly Block[],
  drawing: Drawing,
  send: (blocks: readonly Block[]) => Promise<Result>,
): Promise<Result> {
  const { turnId, log, rejected } = drawing;
  const tried = blocks.map((block) => (rejected.has(block.type) ? inText(block) : block));
  try {
    return await send(tried);
  } catch (error) {
    if (tried.length === 0 || !refusesForm(error)) throw error;
    log.warn({ turnId, error }, 'a message was refused; it is sent in a plainer form');
  }
  const plainer = tried.map(inText);
  const drawn = tried.filter((block, index) => block !== plainer[index]);
  const sent = await drawnOrInText(drawn.length > 0 ? plainer : [], drawing, send);
  for (const { type } of drawn) rejected.add(type);
  return sent;
}

function inText(block: Block): Block {
  if (block.type === 'plan') return paragraphs([words(`⏳ ${block.title}`)]);
  if (block.type !== 'data_visualization') return block;
  const rows = block.chart.series.flatMap(({ data }) => data);
  return paragraphs(
    [bold(block.title)],
    ...rows.map(({ label, value }) => [code(shareBar(value / 100)), words(' '), bold(label)]),
  );
}

/** Whether Slack rejected a message's form rather than its content. */
export function refusesForm(error: unknown): boolean {
  return isRefusal(
    error,
    'invalid_blocks',
    'invalid_blocks_format',
    'msg_blocks_too_long',
    'msg_too_long',
    'block_mismatch',
    'no_text',
  );
}
