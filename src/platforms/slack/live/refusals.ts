/** What Slack refuses of a trial: what to do about it, and what is refused in its name. */

import type { Refused } from '../../chat/live/call-notes.ts';
import { SlackRefusal } from '../slack-error.ts';
import { isChart, isPlan } from './subjects.ts';

/** As `Ground.mendOf`. @param channel - Id of the one that the trial is held in. */
export function mendOf(error: unknown, channel: string): string | undefined {
  if (!(error instanceof SlackRefusal)) return undefined;
  switch (error.code) {
    case 'missing_scope':
      return 'Put config/slack-manifest.yaml into your app’s page, under App Manifest, and install the app again.';
    case 'channel_not_found':
      return `The bot sees no channel ${channel}. Copy the id from the end of the channel’s details, and \`/invite\` the bot there.`;
    case 'not_in_channel':
      return `\`/invite\` the bot in the channel ${channel}.`;
    case 'is_archived':
      return 'Choose a channel that is not archived.';
    case 'invalid_blocks':
      return 'Slack no longer takes this form. The bot says it plainly where that happens; report it with this line.';
    default:
      return undefined;
  }
}

/** What Slack would say if it did not take something that has a plainer form. */
export function refusalOf(
  method: string,
  args: Readonly<Record<string, unknown>>,
  refusing: Refused,
): SlackRefusal | undefined {
  const sent = JSON.stringify(args);
  const refused = (code: string) => new SlackRefusal(`Refused for the trial: ${code}.`, { code });
  if (refusing === 'nothing') return undefined;
  if (refusing === 'charts') return isChart(sent) ? refused('invalid_blocks') : undefined;
  if (method === 'chat.startStream') return refused('method_not_supported_for_channel_type');
  if (sent.includes('"username":')) return refused('missing_scope');
  const isVerdict = sent.includes('"part":"verdict"') && sent.includes('"blocks":[{');
  if (isPlan(sent) || isVerdict) return refused('invalid_blocks');
  return undefined;
}
