/** Formats a command's reply as Discord messages. */

import { ButtonStyle } from 'discord.js';
import type { Reply, ReplyBlock } from '../../../../commands/command.ts';
import { chatFile } from '../../../charts/drawing.ts';
import { splitMarkdown } from '../../chat/text/split-markdown.ts';
import { visibleText } from '../../chat/text/visible-text.ts';
import { codeTable, discordMarkdown, inertDiscordText } from '../discord-text.ts';
import {
  button,
  buttonRow,
  type Component,
  filePart,
  gallery,
  textPart,
} from '../presenter/components.ts';
import { inertDiscordName } from '../presenter/persona.ts';
import { settingsComponents } from './settings-form.ts';

/** One message of a reply. */
export interface ReplyMessage {
  readonly components: readonly Component[];
  readonly files: readonly { readonly name: string; readonly attachment: Buffer }[];
}

/** Characters of text in one message, which leaves room for labels. */
const longestPiece = 3500;
const buttonsInRow = 5;

/**
 * @param page - The page of settings, from 0. Absent: the one with the setting that the reply is about.
 * @returns At least one message.
 */
export async function replyMessages(
  { blocks }: Reply,
  page?: number,
): Promise<readonly ReplyMessage[]> {
  const text = blocks.flatMap(blockText).join('\n\n');
  const settings = blocks.find((block) => block.type === 'settings');
  const pieces = splitMarkdown(text, settings ? longestPiece / 4 : longestPiece);
  const messages = (pieces.length === 0 ? ['Done.'] : pieces).map(
    (piece): ReplyMessage => ({ components: [textPart(piece)], files: [] }),
  );
  const last = messages.at(-1) ?? { components: [], files: [] };
  const parts = settings ? settingsComponents(settings, page) : choiceRows(blocks);
  const files = await filesIn(blocks);
  return [
    ...messages.slice(0, -1),
    {
      components: [...last.components, ...files.map(({ component }) => component), ...parts],
      files: files.map(({ file }) => file),
    },
  ];
}

/** The files of a reply, and how each is shown. Without the pictures that this machine can't draw. */
async function filesIn(blocks: readonly ReplyBlock[]) {
  const shown = blocks.map(async (block) => {
    const file = block.type === 'file' ? await chatFile(block) : undefined;
    if (block.type !== 'file' || !file) return [];
    const { name, data } = file;
    const { description } = block;
    const component = description ? gallery([{ name, description }]) : filePart(name);
    return [{ component, file: { attachment: data, name } }];
  });
  return (await Promise.all(shown)).flat();
}

function blockText(block: ReplyBlock): readonly string[] {
  switch (block.type) {
    case 'text':
      return [discordMarkdown(block.text)];
    case 'fields':
      return block.fields.map(
        ({ name, value }) => `**${inertDiscordText(name)}**\n${inertDiscordText(value)}`,
      );
    case 'table':
      return block.rows.length === 0 ? [] : [tableText(block.header, block.rows)];
    case 'choices':
    case 'settings':
    case 'file':
    case 'stream':
      return [];
  }
}

/** Discord has no tables, so a code block shows one, or a list of its rows if it is wide. */
function tableText(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [header, ...rows].map((row) =>
    row.map((cell) => visibleText(cell).replace(/[`\s]+/g, ' ')),
  );
  const [names = [], ...values] = cells;
  return (codeTable(names, values) ?? values.map((row) => rowText(names, row))).join('\n');
}

function rowText(names: readonly string[], row: readonly string[]): string {
  const [first = '', ...rest] = row.map(inertDiscordName);
  const facts = rest.flatMap((cell, index) => (cell === '' ? [] : `${names[index + 1]} ${cell}`));
  return `- ${[`**${first}**`, ...facts].join(' · ')}`;
}

function choiceRows(blocks: readonly ReplyBlock[]): readonly Component[] {
  const buttons = blocks
    .flatMap((block) => (block.type === 'choices' ? block.choices : []))
    .map(({ label, command }, index) =>
      button(
        label,
        { kind: 'run', command },
        index === 0 ? ButtonStyle.Primary : ButtonStyle.Secondary,
      ),
    );
  const rows = Array.from({ length: Math.ceil(buttons.length / buttonsInRow) }, (_, index) =>
    buttons.slice(index * buttonsInRow, (index + 1) * buttonsInRow),
  );
  return rows.flatMap((row) => buttonRow(row));
}
