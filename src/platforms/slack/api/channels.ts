import { z } from 'zod';
import type { SlackApi } from './slack-api.ts';

const flag = z.boolean().exactOptional();
const infoSchema = z.object({
  channel: z.object({
    name: z.string().default(''),
    /** The member who made it. */
    creator: z.string().default(''),
    is_channel: flag,
    is_private: flag,
    is_im: flag,
    is_mpim: flag,
    is_shared: flag,
    is_ext_shared: flag,
    is_org_shared: flag,
  }),
});

/** A conversation as Slack describes it; what it leaves out is not known. */
export type SlackChannel = z.infer<typeof infoSchema>['channel'];

/** Needs the scope `channels:read`, or its like for other conversations. Throws as {@link SlackApi.call} does. */
export async function readChannel(
  api: SlackApi,
  team: string,
  channel: string,
  signal?: AbortSignal,
): Promise<SlackChannel> {
  return infoSchema.parse(await api.call(team, 'conversations.info', { channel }, signal)).channel;
}
