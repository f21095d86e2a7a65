import { z } from 'zod';
import type { Json } from '../world/records.ts';

const text = z.looseObject({ text: z.string() });
const option = z.looseObject({ value: z.string(), text });
const feedback = z.looseObject({ value: z.string(), text });

const shape = z.looseObject({
  type: z.string(),
  action_id: z.string(),
  text: text.optional(),
  value: z.string().optional(),
  options: z.array(option).optional(),
  option_groups: z.array(z.looseObject({ options: z.array(option) })).optional(),
  positive_button: feedback.optional(),
  negative_button: feedback.optional(),
  initial_value: z.string().optional(),
  initial_option: option.optional(),
  initial_options: z.array(option).optional(),
  initial_user: z.string().optional(),
  initial_users: z.array(z.string()).optional(),
  initial_conversation: z.string().optional(),
  initial_channel: z.string().optional(),
  min_length: z.number().optional(),
  max_length: z.number().optional(),
});

export type Element = z.infer<typeof shape>;
export type Option = z.infer<typeof option>;

/** Something in a message or a view that can be pressed, chosen from or filled. */
export interface Control {
  readonly blockId: string;
  readonly element: Element;
  /** What stands above a field. */
  readonly label: string | undefined;
  /** Whether a form may be submitted without it; so for everything but fields that are required. */
  readonly isOptional: boolean;
}

/** Everything in these blocks that a person can use, in order. */
export function controlsOf(blocks: readonly Json[]): readonly Control[] {
  return blocks.flatMap((block) => {
    const inner = [
      ...(Array.isArray(block.elements) ? block.elements : []),
      block.accessory,
      block.element,
    ];
    return inner.flatMap((part) => {
      const parsed = shape.safeParse(part);
      if (!parsed.success) return [];
      return {
        blockId: String(block.block_id),
        element: parsed.data,
        label: text.safeParse(block.label).data?.text,
        isOptional: block.type !== 'input' || block.optional === true,
      };
    });
  });
}

/** The options that a menu shows, those of groups among them. */
export function optionsOf({ options, option_groups: groups }: Element): readonly Option[] {
  return [...(options ?? []), ...(groups ?? []).flatMap((group) => group.options)];
}

/**
 * Finds a control by its `action_id`, its block's id, its label or the text on it.
 *
 * @throws Error that names what there is, for a test that looks for something else.
 */
export function findControl(blocks: readonly Json[], what: string): Control {
  const all = controlsOf(blocks);
  const found = all.find(
    ({ blockId, element, label }) =>
      [element.action_id, element.text?.text, label, blockId].includes(what) ||
      labelsOf(element).includes(what),
  );
  if (found !== undefined) return found;
  const there = all.map(({ element }) => `${element.action_id} [${labelsOf(element).join('/')}]`);
  throw new Error(`There is no ${what} here, only: ${there.join(', ') || 'nothing to press'}.`);
}

function labelsOf({ text: own, positive_button: yes, negative_button: no }: Element) {
  return [own, yes?.text, no?.text].flatMap((part) => (part === undefined ? [] : [part.text]));
}
