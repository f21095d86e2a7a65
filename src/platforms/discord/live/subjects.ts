/** What Discord has to take of the bot, and the calls that show it. */

import { MessageFlags } from 'discord.js';
import type { Subject } from '../../chat/live/trial.ts';

const isPost = /^POST \/channels\/\d+\/messages$/;
/** In the JSON of a message that consists of components alone. */
export const componentsFlag = `"flags":${MessageFlags.IsComponentsV2}`;

/** In the order of the report. */
export const subjects: readonly Subject[] = [
  {
    name: 'messages of components (V2): card, ranking, verdict',
    isIn: ({ name, sent, isPlain }) =>
      !isPlain && isPost.test(name) && sent.includes(componentsFlag),
    otherwise: 'no turn got so far',
  },
  {
    name: 'edits of the card',
    isIn: ({ name, isPlain }) => !isPlain && /^PATCH .*\/messages\/\d+$/.test(name),
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
    isIn: ({ name, sent, isPlain }) =>
      isPlain && isPost.test(name) && !sent.includes(componentsFlag),
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
