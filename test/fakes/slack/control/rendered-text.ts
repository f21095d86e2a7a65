import { z } from 'zod';
import type { Json, Message } from '../world/records.ts';

const holder = z.looseObject({ type: z.string().optional() });

/** Fields whose text a reader sees, in the order in which it stands in the block. */
const shown = [
  'title',
  'text',
  'label',
  'fields',
  'elements',
  'element',
  'accessory',
  'rows',
  'tasks',
  'details',
  'output',
  'alt_text',
  'chart',
  'series',
  'data',
] as const;

/** A message as it is read: its blocks where it has some, its text otherwise. */
export function renderedText({ blocks, text }: Message): string {
  return blocks.length === 0 ? text : renderedBlocks(blocks);
}

/** Blocks as they are read, one a paragraph. */
export function renderedBlocks(blocks: readonly Json[]): string {
  return blocks
    .map(renderedBlock)
    .filter((paragraph) => paragraph !== '')
    .join('\n\n');
}

function renderedBlock(block: Json): string {
  if (block.type === 'divider') return '---';
  const isFlowing = String(block.type).startsWith('rich_text');
  return pieces(block).join(isFlowing ? '' : ' ');
}

function pieces(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(pieces);
  const parsed = holder.safeParse(value);
  if (!parsed.success) return [];
  const { data } = parsed;
  if (typeof data.value === 'number') return [`${String(data.label)}: ${data.value}`];
  if (data.type === 'button') return [`[${pieces(data.text).join('')}]`];
  if (data.type === 'user') return [`<@${String(data.user_id)}>`];
  if (data.type === 'link') return [String(data.text ?? data.url)];
  return shown.flatMap((field) => pieces(data[field]));
}
