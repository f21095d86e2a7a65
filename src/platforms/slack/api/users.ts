import { z } from 'zod';
import type { SlackApi } from './slack-api.ts';

/** A member, as far as the council must know one. */
export interface SlackUser {
  readonly id: string;
  /** As others see it; the real name where no other was chosen. */
  readonly name: string;
  /** Manages the workspace: an admin or an owner of it. */
  readonly isAdmin: boolean;
  /** An app, or Slack itself. */
  readonly isBot: boolean;
}

const userSchema = z.object({
  user: z.object({
    id: z.string(),
    name: z.string().default(''),
    is_admin: z.boolean().default(false),
    is_owner: z.boolean().default(false),
    is_bot: z.boolean().default(false),
    profile: z
      .object({ display_name: z.string().default(''), real_name: z.string().default('') })
      .prefault({}),
  }),
});

/** Needs the scope `users:read`. Throws as {@link SlackApi.call} does. */
export async function readUser(api: SlackApi, team: string, userId: string): Promise<SlackUser> {
  const { user } = userSchema.parse(await api.call(team, 'users.info', { user: userId }));
  const { id, profile } = user;
  const name = [profile.display_name, profile.real_name, user.name].find((one) => one !== '') ?? id;
  return { id, name, isAdmin: user.is_admin || user.is_owner, isBot: user.is_bot };
}
