/** What Discord has to take of the bot, the calls that show it, and what it may refuse. */

import { MessageFlags } from 'discord.js';
import type { Refused, Subject } from '../../chat/live/trial.ts';
import { disputed, nextQuestion } from '../../chat/live/whole-council.ts';
import { againLabel } from '../../chat/show/verdict-offers.ts';
import { DiscordRefusal, refusalCodes } from '../discord-error.ts';
import type { RestRequest } from '../rest/discord-rest.ts';

const isPost = /^POST \/channels\/\d+\/messages$/;
/** Of which bars are made, where a chart is text. */
const bars = /[█░]/;
/** In the JSON of a message that consists of components alone. */
export const componentsFlag = `"flags":${MessageFlags.IsComponentsV2}`;

/** In the order of the report. */
export const subjects: readonly Subject[] = [
  {
    name: 'messages of components (V2): card, ranking, verdict',
    isIn: ({ name, sent, refusing }) =>
      refusing === 'nothing' && isPost.test(name) && sent.includes(componentsFlag),
    otherwise: 'no turn got so far',
  },
  {
    name: 'charts as pictures, in a gallery',
    isIn: ({ name, sent, refusing }) =>
      refusing === 'nothing' && isPost.test(name) && sent.includes('"attachment://ranking.png"'),
    otherwise: 'nothing was ranked, or this machine can’t draw; `doctor` says so',
  },
  {
    name: 'charts as text, where files are refused',
    isIn: ({ name, sent, refusing }) =>
      refusing === 'charts' && isPost.test(name) && bars.test(sent),
    otherwise: 'nothing was ranked, or this machine can’t draw; `doctor` says so',
  },
  {
    name: 'the deep round: what is in dispute, and what its parties say',
    isIn: ({ name, sent, refusing }) =>
      refusing === 'nothing' &&
      isPost.test(name) &&
      (sent.includes(disputed) || sent.includes('↩️')),
    otherwise: 'no turn got so far',
  },
  {
    name: 'the menu and the suggested questions below a verdict',
    isIn: ({ name, sent }) =>
      isPost.test(name) && sent.includes(againLabel) && sent.includes(nextQuestion),
    otherwise: 'no verdict was posted',
  },
  {
    name: 'edits of the card',
    isIn: ({ name, refusing }) => refusing === 'nothing' && /^PATCH .*\/messages\/\d+$/.test(name),
    otherwise: 'no turn got so far',
  },
  {
    name: 'a thread on the card',
    isIn: ({ name }) => name.endsWith('/threads'),
    otherwise: 'no card was posted',
  },
  {
    name: 'a person brought into the thread (PUT thread-members)',
    isIn: ({ name }) => name.startsWith('PUT ') && name.includes('/thread-members/'),
    otherwise: 'no thread was opened',
  },
  {
    name: 'the channel’s webhook',
    isIn: ({ name }) => /^(GET|POST) \/channels\/\d+\/webhooks$/.test(name),
    otherwise: 'no sage got to speak',
  },
  {
    name: 'the sages’ own names and pictures',
    isIn: ({ name }) => name === 'POST webhook',
    otherwise: 'there is no webhook; see above',
  },
  {
    name: 'faces, uploaded as emojis of the application',
    isIn: ({ name }) => /^(GET|POST) \/applications\/\d+\/emojis$/.test(name),
    otherwise: 'this machine can’t draw; `doctor` says so',
  },
  {
    name: 'faces beside what sages say',
    isIn: ({ name, sent }) =>
      name === 'POST webhook' && sent.includes('"https://cdn.discordapp.com/emojis/'),
    otherwise: 'there is no face, or no webhook; see above',
  },
  {
    name: 'the mention when it is done',
    isIn: ({ name, sent }) => isPost.test(name) && sent.includes('"users":["'),
    otherwise: 'no turn got to its end',
  },
  {
    name: 'a file',
    isIn: ({ name, sent }) => isPost.test(name) && sent.includes('"content":"A file'),
    otherwise: 'no thread was opened',
  },
  {
    name: 'plain: the sages through the bot, and messages without components',
    isIn: ({ name, sent, refusing }) =>
      refusing === 'forms' && isPost.test(name) && !sent.includes(componentsFlag),
    otherwise: 'no turn got so far',
  },
  {
    name: 'forms, and menus in them',
    otherwise: 'only a person can open one: try `/council config` there',
  },
  {
    name: 'what people do: commands, mentions, buttons',
    otherwise: 'only a person can: start the bot and ask it something there',
  },
];

/** As `TriedPlatform.fixFor`. */
export function fixFor(error: unknown): string | undefined {
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
