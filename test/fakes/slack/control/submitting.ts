import { z } from 'zod';
import type { Interaction } from '../delivery/interact.ts';
import { modal } from '../schema/views.ts';
import type { Json, User } from '../world/records.ts';
import { pushModal, updateView } from '../world/showing.ts';
import { viewWire } from '../world/view-wire.ts';
import { modalsOf, type View } from '../world/views.ts';
import type { World } from '../world/world.ts';
import type { FieldValue } from './field-values.ts';
import type { Forms } from './forms.ts';
import { interactionBase } from './payloads.ts';
import { renderedBlocks } from './rendered-text.ts';

/** A modal or a Home tab as its person sees it. */
export interface SeenView {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly blocks: readonly Json[];
  readonly callbackId: string;
  /** What stands in its fields, as it would be submitted: by block, then by action. */
  readonly values: Json;
  /** What is wrong with a field, by block; as the last submission was answered. */
  readonly errors: Readonly<Record<string, string>>;
}

export interface Submitting {
  /** The topmost modal; `undefined` when none is open. */
  modal(): SeenView | undefined;
  home(): SeenView | undefined;
  /** Puts something into fields of the topmost modal, by `action_id`, block or label. */
  fills(values: Readonly<Record<string, FieldValue>>): void;
  /** Fills and submits the topmost modal; what the app answered has then happened to it. */
  submits(values?: Readonly<Record<string, FieldValue>>): Promise<Interaction>;
  /** Closes the topmost modal by its button, or all at once. */
  closes(how?: { readonly all?: boolean }): Promise<Interaction | undefined>;
}

const answer = z.discriminatedUnion('response_action', [
  z.strictObject({
    response_action: z.literal('errors'),
    errors: z.record(z.string(), z.string().min(1)),
  }),
  z.strictObject({ response_action: z.literal('update'), view: modal }),
  z.strictObject({ response_action: z.literal('push'), view: modal }),
  z.strictObject({ response_action: z.literal('clear') }),
]);

export function submitting(world: World, user: User, forms: Forms): Submitting {
  const errors = new Map<string, Readonly<Record<string, string>>>();
  const stack = () => modalsOf(world.views, user.id);
  const top = (): View => {
    const view = stack().at(-1);
    if (view === undefined) throw new Error(`${user.realName} has no modal open.`);
    return view;
  };
  const seen = (view: View | undefined): SeenView | undefined =>
    view && {
      id: view.id,
      title: z.looseObject({ text: z.string() }).safeParse(view.definition.title).data?.text ?? '',
      text: renderedBlocks(view.blocks),
      blocks: view.blocks,
      callbackId: String(view.definition.callback_id ?? ''),
      values: forms.values(view),
      errors: errors.get(view.id) ?? {},
    };
  const fills: Submitting['fills'] = (values) => {
    for (const [what, value] of Object.entries(values)) forms.fill(top(), what, value);
  };

  /** Does to the modal what the app answered. An empty answer closes it. */
  const apply = (view: View, payload: unknown): void => {
    if (payload === undefined || payload === null || payload === '' || isEmpty(payload)) {
      world.views.modals.set(user.id, stack().slice(0, -1));
      return;
    }
    const parsed = answer.safeParse(payload);
    if (!parsed.success) {
      refuse(
        world,
        parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`),
      );
      return;
    }
    const { data } = parsed;
    if (data.response_action === 'clear') world.views.modals.delete(user.id);
    if (data.response_action === 'push') pushModal(world, user, data.view);
    if (data.response_action === 'update') updateView(world, { id: view.id }, data.view, undefined);
    if (data.response_action === 'errors') {
      errors.set(view.id, data.errors);
      const fields = view.blocks
        .filter(({ type }) => type === 'input')
        .map(({ block_id: id }) => id);
      const lost = Object.keys(data.errors).filter((block) => !fields.includes(block));
      if (lost.length > 0)
        refuse(
          world,
          lost.map((block) => `errors.${block}: no such field`),
        );
    }
  };

  return {
    modal: () => seen(stack().at(-1)),
    home: () => seen(world.views.homes.get(user.id)),
    fills,

    submits: async (values = {}) => {
      fills(values);
      const view = top();
      const missing = forms.missing(view);
      if (missing.length > 0) throw new Error(`Still to be filled in: ${missing.join(', ')}.`);
      errors.delete(view.id);
      const told = await world.interact('interactive', {
        type: 'view_submission',
        ...interactionBase(world, user),
        trigger_id: world.triggers.pull(user, true),
        view: viewWire(world, view, forms.values(view)),
        response_urls: [],
      });
      if (told.status === 'acknowledged') apply(view, told.payload);
      return told;
    },

    closes: async ({ all = false } = {}) => {
      const view = top();
      const isCleared = all || view.definition.clear_on_close === true;
      world.views.modals.set(user.id, isCleared ? [] : stack().slice(0, -1));
      if (view.definition.notify_on_close !== true) return undefined;
      return world.interact('interactive', {
        type: 'view_closed',
        ...interactionBase(world, user),
        view: viewWire(world, view, forms.values(view)),
        is_cleared: isCleared,
      });
    },
  };
}

function refuse({ violations }: World, problems: readonly string[]): void {
  violations.add({ method: 'view_submission', code: 'invalid_response', problems });
}

function isEmpty(payload: unknown): boolean {
  return typeof payload === 'object' && payload !== null && Object.keys(payload).length === 0;
}
