import type {
  ViewsOpenArguments,
  ViewsPublishArguments,
  ViewsUpdateArguments,
} from '@slack/web-api';
import { z } from 'zod';
import { botMethod, type NamedAs } from '../api/method.ts';
import { Refusal } from '../api/refusal.ts';
import { homeTab, modal } from '../schema/views.ts';
import { userId } from '../schema/wire.ts';
import { openModal, publishHome, pushModal, updateView } from '../world/showing.ts';
import { viewWire } from '../world/view-wire.ts';

const triggered = { trigger_id: z.string(), view: modal } as const;

export const openView = botMethod({
  name: 'views.open',
  tier: 4,
  args: triggered satisfies NamedAs<ViewsOpenArguments>,
  run: (world, args) => {
    const { user } = world.triggers.exchange(args.trigger_id);
    return { view: viewWire(world, openModal(world, user, args.view)) };
  },
});

export const pushView = botMethod({
  name: 'views.push',
  tier: 4,
  args: triggered satisfies NamedAs<ViewsOpenArguments>,
  run: (world, args) => {
    const { user } = world.triggers.exchange(args.trigger_id);
    return { view: viewWire(world, pushModal(world, user, args.view)) };
  },
});

export const updateOpenView = botMethod({
  name: 'views.update',
  tier: 4,
  args: {
    view: z.discriminatedUnion('type', [modal, homeTab]),
    view_id: z.string().optional(),
    external_id: z.string().optional(),
    hash: z.string().optional(),
  } satisfies NamedAs<ViewsUpdateArguments>,
  run: (world, { view, view_id: id, external_id: externalId, hash }) => ({
    view: viewWire(world, updateView(world, { id, externalId }, view, hash)),
  }),
});

export const publishView = botMethod({
  name: 'views.publish',
  tier: 4,
  args: {
    user_id: userId,
    view: homeTab,
    hash: z.string().optional(),
  } satisfies NamedAs<ViewsPublishArguments>,
  run: (world, args, { teamId }) => {
    const user = world.state.users.get(args.user_id);
    if (user === undefined || user.teamId !== teamId) throw new Refusal('user_not_found');
    const shown = world.views.homes.get(user.id);
    if (args.hash !== undefined && args.hash !== shown?.hash) throw new Refusal('hash_conflict');
    return { view: viewWire(world, publishHome(world, user, args.view)) };
  },
});
