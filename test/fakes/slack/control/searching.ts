import { z } from 'zod';
import { optionGroup, plainOption } from '../schema/texts.ts';
import type { User } from '../world/records.ts';
import { viewWire } from '../world/view-wire.ts';
import { modalsOf } from '../world/views.ts';
import type { World } from '../world/world.ts';
import { findControl, type Option } from './elements.ts';
import type { Forms } from './forms.ts';
import { interactionBase } from './payloads.ts';

const answer = z.union([
  z.strictObject({ options: z.array(plainOption).max(100) }),
  z.strictObject({ option_groups: z.array(optionGroup).max(100) }),
]);

export interface Searching {
  /** Types into an external menu of the topmost modal, and gives what is offered; that can then be chosen. */
  searches(what: string, query: string): Promise<readonly Option[]>;
}

export function searching(world: World, user: User, forms: Forms): Searching {
  return {
    searches: async (what, query) => {
      const view = modalsOf(world.views, user.id).at(-1);
      if (view === undefined) throw new Error(`${user.realName} has no modal open.`);
      const { blockId, element } = findControl(view.blocks, what);
      if (!element.type.includes('external_select')) throw new Error(`${what} is not searched.`);
      const told = await world.interact('interactive', {
        type: 'block_suggestion',
        ...interactionBase(world, user),
        container: { type: 'view', view_id: view.id },
        view: viewWire(world, view, forms.values(view)),
        action_id: element.action_id,
        block_id: blockId,
        value: query,
      });
      if (told.status === 'failed') throw new Error(`The app offered nothing: ${told.reason}.`);
      const parsed = answer.safeParse(told.payload);
      if (!parsed.success) {
        const problems = parsed.error.issues.map(
          ({ path, message }) => `${path.join('.')}: ${message}`,
        );
        world.violations.add({ method: 'block_suggestion', code: 'invalid_options', problems });
        return [];
      }
      const { data } = parsed;
      const options =
        'options' in data ? data.options : data.option_groups.flatMap((group) => group.options);
      forms.offer(options);
      return options;
    },
  };
}
