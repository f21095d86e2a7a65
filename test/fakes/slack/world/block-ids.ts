import { z } from 'zod';
import type { Json } from './records.ts';

const element = z.looseObject({ type: z.string() });
const elements = z.array(element);

/** Elements that can be pressed or filled, and so have an id. */
const active = /button|select|overflow|checkboxes|_input$|datepicker/;

/** Gives an id to every block and element that came without one, as Slack does. */
export function withIds(blocks: readonly Json[]): Json[] {
  return blocks.map((block, index) => {
    const blockId = block.block_id ?? `auto${index}`;
    const inner = elements.safeParse(block.elements);
    return {
      ...block,
      block_id: blockId,
      ...(inner.success && block.type !== 'rich_text' && { elements: inner.data.map(identified) }),
      ...withId('element', block),
      ...withId('accessory', block),
    };
  });
}

function withId(place: 'element' | 'accessory', block: Json): Json {
  const inner = element.safeParse(block[place]);
  return inner.success ? { [place]: identified(inner.data, 0) } : {};
}

function identified(part: z.infer<typeof element>, index: number): Json {
  if (!active.test(part.type) || part.action_id !== undefined) return part;
  return { ...part, action_id: `auto${index}` };
}
