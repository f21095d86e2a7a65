/** What Discord refuses of a trial: what to do about it, and what is refused in its name. */

import type { Refused } from '../../chat/live/call-notes.ts';
import { DiscordRefusal, refusalCodes } from '../discord-error.ts';
import type { RestRequest } from '../rest/discord-rest.ts';
import { componentsFlag } from './subjects.ts';

/** As `Ground.mendOf`. */
export function mendOf(error: unknown): string | undefined {
  if (!(error instanceof DiscordRefusal)) return undefined;
  switch (error.code) {
    case refusalCodes.unknownChannel:
      return `Copy the channel’s id again: switch on Developer Mode in Discord, under Advanced, and choose Copy Channel ID in its menu.`;
    case refusalCodes.missingAccess:
      return 'Add the bot to the channel: it needs View Channels there.';
    case refusalCodes.missingPermissions:
      return 'Grant the bot the permissions of its invite link in this channel; `npm run council -- doctor` prints the link.';
    case refusalCodes.tooManyWebhooks:
      return 'Delete a webhook of the channel, under Integrations.';
    case refusalCodes.invalidForm:
      return 'Discord no longer takes this form. The bot says it plainly where that happens; report it with this line.';
    default:
      return undefined;
  }
}

/** What Discord would say if it did not take something that has a plainer form. */
export function refusalOf(
  { method, path, body, files = [] }: RestRequest,
  refusing: Refused,
): DiscordRefusal | undefined {
  const refused = (code: number, status: number) =>
    new DiscordRefusal(`Refused for the trial (code ${code}).`, { code, status });
  const forbidden = refused(refusalCodes.missingPermissions, 403);
  if (refusing === 'nothing') return undefined;
  if (refusing === 'charts') return files.length > 0 ? forbidden : undefined;
  if (method === 'POST' && path.startsWith('/webhooks/')) return forbidden;
  const isOfComponents = JSON.stringify(body ?? {}).includes(componentsFlag);
  return isOfComponents ? refused(refusalCodes.invalidForm, 400) : undefined;
}
