/** What Slack has to take of the bot, the calls that show it, and what it may refuse. */

import type { Refused, Subject } from '../../chat/live/trial.ts';
import { disputed, nextQuestion } from '../../chat/live/whole-council.ts';
import { SlackRefusal } from '../slack-error.ts';

/** Whether a call shows a plan. @param sent - See {@link Subject}. */
export const isPlan = (sent: string) => sent.includes('"type":"plan"');

/** Whether a call shows a chart of Slack's own. @param sent - See {@link Subject}. */
export const isChart = (sent: string) => sent.includes('"type":"data_visualization"');

/** Of which bars are made, where a chart is text. */
const bars = /[█░]/;

/** In the order of the report. */
export const subjects: readonly Subject[] = [
  {
    name: 'the plan block of a turn’s progress',
    isIn: ({ sent }) => isPlan(sent),
    otherwise: 'no turn got so far',
  },
  {
    name: 'edits',
    isIn: ({ name, refusing }) => name === 'chat.update' && refusing === 'nothing',
    otherwise: 'no turn got so far',
  },
  {
    name: 'streams',
    isIn: ({ name }) => /^chat\.(start|append|stop)Stream$/.test(name),
    otherwise: 'no answer had begun to grow',
  },
  {
    name: 'the sages’ own names and pictures',
    isIn: ({ sent }) => sent.includes('"username":'),
    otherwise: 'the scope chat:write.customize is lacking; see above',
  },
  {
    name: 'the sages’ emoji in place of a picture (icon_emoji)',
    isIn: ({ sent }) => sent.includes('"icon_emoji":'),
    otherwise: 'the scope chat:write.customize is lacking; see above',
  },
  {
    name: 'the ranking as a chart of Slack’s own (data_visualization)',
    isIn: ({ sent }) => isChart(sent),
    otherwise: 'no verdict was posted',
  },
  {
    name: 'the ranking as text, where charts are refused',
    isIn: ({ refusing, sent }) =>
      refusing === 'charts' && sent.includes('"part":"verdict') && bars.test(sent),
    otherwise: 'no verdict was posted',
  },
  {
    name: 'the deep round: what is in dispute, and what its parties say',
    isIn: ({ sent }) => sent.includes(disputed) || sent.includes('↩️'),
    otherwise: 'no turn got so far',
  },
  {
    name: 'the menu and the suggested questions below a verdict',
    isIn: ({ sent }) => sent.includes('"type":"static_select"') && sent.includes(nextQuestion),
    otherwise: 'no verdict was posted',
  },
  {
    name: 'the status line',
    isIn: ({ name }) => name === 'assistant.threads.setStatus',
    otherwise: 'no turn got so far',
  },
  {
    name: 'the mention when it is done',
    isIn: ({ sent }) => sent.includes('"type":"user"'),
    otherwise: 'no turn got to its end',
  },
  {
    name: 'links to a verdict',
    isIn: ({ name }) => name === 'chat.getPermalink',
    otherwise: 'no verdict was posted',
  },
  {
    name: 'a moment in the reader’s own zone (<!date^…>) in a markdown block',
    isIn: ({ sent }) => sent.includes('<!date^'),
    otherwise: 'no reply got so far',
  },
  {
    name: 'tables and buttons',
    isIn: ({ sent }) => sent.includes('"type":"table"') || sent.includes('"type":"actions"'),
    otherwise: 'no reply got so far',
  },
  {
    name: 'a message for one person',
    isIn: ({ name }) => name === 'chat.postEphemeral',
    otherwise: 'only the bot was found in the channel',
  },
  {
    name: 'plain: the progress without a plan, and answers that come whole',
    isIn: ({ name, refusing, sent }) =>
      refusing === 'forms' && name === 'chat.postMessage' && sent.includes('"blocks":[{'),
    otherwise: 'no turn got so far',
  },
  {
    name: 'plain: a message without blocks',
    isIn: ({ name, refusing, sent }) =>
      refusing === 'forms' && name === 'chat.postMessage' && !sent.includes('"blocks":[{'),
    otherwise: 'no verdict was posted',
  },
  {
    name: 'files',
    isIn: ({ name }) => name === 'files.uploadV2',
    otherwise: 'no turn got so far',
  },
  {
    name: 'forms',
    otherwise: 'only a person can open one: try `/council config` there',
  },
  {
    name: 'what people do: mentions, commands, buttons, the bot’s page',
    otherwise: 'only a person can: start the bot and ask it something there',
  },
];

/** As `TriedPlatform.fixFor`. @param channel - Id of the one that the trial is held in. */
export function fixFor(error: unknown, channel: string): string | undefined {
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
