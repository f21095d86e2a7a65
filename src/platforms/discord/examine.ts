import { inviteLink } from './gateway/permissions.ts';
import { DiscordRest } from './rest/discord-rest.ts';
import { readIdentity } from './rest/identity.ts';

const timeoutMs = 10_000;

/**
 * Looks whether the bot could be started, without connecting it.
 *
 * @returns What was found, for the operator.
 * @throws {DiscordSetupError} when the token is not accepted; `DiscordUnanswered` when Discord can't be reached.
 */
export async function examineDiscord(options: {
  readonly token: string;
  readonly api: string;
}): Promise<string> {
  const rest = new DiscordRest({ ...options, timeoutMs });
  const { applicationId, mayReadContent } = await readIdentity(rest);
  const followUps = mayReadContent
    ? 'reads messages in its threads'
    : 'follow-ups have to mention it, because “Message Content Intent” is off in the developer portal';
  return `the token is accepted; ${followUps}; add it to a server: ${inviteLink(applicationId)}`;
}
