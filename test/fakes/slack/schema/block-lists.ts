/** Lists of blocks, by where they stand. */

import { z } from 'zod';
import * as kinds from './blocks.ts';

const everywhere = [
  kinds.actions,
  kinds.alert,
  kinds.context,
  kinds.divider,
  kinds.header,
  kinds.imageBlock,
  kinds.input,
  kinds.richText,
  kinds.section,
] as const;

const inMessages = z.discriminatedUnion('type', [
  ...everywhere,
  kinds.contextActions,
  kinds.dataVisualization,
  kinds.markdown,
  kinds.plan,
  kinds.table,
  kinds.taskCard,
]);

const inViews = z.discriminatedUnion('type', everywhere);

type Blocks = readonly z.infer<typeof inMessages>[];

/** A message fails near this length, whatever it is divided into. */
const maxMessageChars = 13_200;
const maxMarkdownChars = 12_000;

/** The blocks of one message. */
export const messageBlocks = z
  .array(inMessages)
  .max(50, 'are more than 50')
  .superRefine((blocks, check) => {
    idsAreUnique(blocks, check);
    if (blocks.filter(({ type }) => type === 'data_visualization').length > 2) {
      check.addIssue('have more than two charts');
    }
    if (blocks.filter(({ type }) => type === 'table').length > 1) {
      check.addIssue('have more than one table');
    }
    const markdown = blocks.flatMap((block) => (block.type === 'markdown' ? [block.text] : []));
    if (markdown.join('').length > maxMarkdownChars) {
      check.addIssue('have more than 12,000 characters of markdown in all');
    }
    if (visibleChars(blocks) > maxMessageChars) {
      check.addIssue('have more than 13,200 characters in all');
    }
  });

/** The blocks of a modal or a Home tab. */
export const viewBlocks = z
  .array(inViews)
  .max(100, 'are more than 100')
  .superRefine((blocks, check) => idsAreUnique(blocks, check));

function idsAreUnique(blocks: Blocks, check: z.core.$RefinementCtx): void {
  const blockIds = blocks.flatMap(({ block_id: id }) => (id === undefined ? [] : [id]));
  for (const id of repeated(blockIds)) check.addIssue(`have the block_id ${id} twice`);
  for (const block of blocks) {
    if (block.type !== 'actions' && block.type !== 'context_actions') continue;
    const actionIds = block.elements.flatMap(({ action_id: id }) => (id === undefined ? [] : [id]));
    for (const id of repeated(actionIds))
      check.addIssue(`have the action_id ${id} twice in a block`);
  }
}

function repeated(ids: readonly string[]): readonly string[] {
  return ids.filter((id, index) => ids.indexOf(id) < index);
}

/** Characters of every text in the blocks. */
function visibleChars(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + visibleChars(one), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [name, part]) =>
      sum + (name === 'text' && typeof part === 'string' ? part.length : visibleChars(part)),
    0,
  );
}
