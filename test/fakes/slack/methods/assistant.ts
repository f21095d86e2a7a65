import type {
  AssistantThreadsSetStatusArguments,
  AssistantThreadsSetSuggestedPromptsArguments,
  AssistantThreadsSetTitleArguments,
} from '@slack/web-api';
import { z } from 'zod';
import { botMethod, type NamedAs } from '../api/method.ts';
import { Refusal } from '../api/refusal.ts';
import { lookArguments } from '../schema/content.ts';
import { channelId, timestamp } from '../schema/wire.ts';
import { writableChannel } from '../world/reach.ts';
import { findMessage } from '../world/state.ts';
import type { World } from '../world/world.ts';
import { lookOf } from './content.ts';

export const setStatus = botMethod({
  name: 'assistant.threads.setStatus',
  scopes: ['chat:write'],
  tier: 'unlimited',
  args: {
    channel_id: channelId,
    thread_ts: timestamp,
    status: z.string().max(1000),
    loading_messages: z.array(z.string().min(1)).max(10, 'are more than 10').optional(),
    ...lookArguments,
  } satisfies NamedAs<AssistantThreadsSetStatusArguments>,
  run: (world, args, installation) => {
    const channel = writableChannel(world, installation, args.channel_id);
    demandThread(world, channel.id, args.thread_ts);
    world.assistant.statuses.push({
      channel: channel.id,
      thread: args.thread_ts,
      status: args.status,
      loadingMessages: args.loading_messages ?? [],
      username: lookOf(args, installation).username,
      atMs: world.clock.now(),
    });
    return {};
  },
});

export const setSuggestedPrompts = botMethod({
  name: 'assistant.threads.setSuggestedPrompts',
  scopes: ['assistant:write'],
  tier: 3,
  args: {
    channel_id: channelId,
    thread_ts: timestamp.optional(),
    title: z.string().max(150).optional(),
    prompts: z
      .array(z.strictObject({ title: z.string().min(1), message: z.string().min(1) }))
      .min(1)
      .max(4, 'are more than 4'),
  } satisfies NamedAs<AssistantThreadsSetSuggestedPromptsArguments>,
  run: (world, args, installation) => {
    const { id } = writableChannel(world, installation, args.channel_id);
    const { thread_ts: thread, title, prompts } = args;
    if (thread !== undefined) demandThread(world, id, thread);
    world.assistant.prompts.push({ channel: id, thread, title, prompts });
    return {};
  },
});

export const setTitle = botMethod({
  name: 'assistant.threads.setTitle',
  scopes: ['assistant:write'],
  tier: 3,
  args: {
    channel_id: channelId,
    thread_ts: timestamp,
    title: z.string().min(1).max(255),
  } satisfies NamedAs<AssistantThreadsSetTitleArguments>,
  run: (world, args, installation) => {
    const { id } = writableChannel(world, installation, args.channel_id);
    demandThread(world, id, args.thread_ts);
    world.assistant.titles.push({ channel: id, thread: args.thread_ts, title: args.title });
    return {};
  },
});

function demandThread({ state }: World, channel: string, ts: string): void {
  if (findMessage(state, channel, ts) === undefined) throw new Refusal('invalid_thread_ts');
}
