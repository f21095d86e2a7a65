/** What Slack has to take of the bot, and the calls that show it. */

import type { Subject } from '../../chat/live/trial.ts';

/** Whether a call shows a plan. @param sent - See {@link Subject}. */
export const isPlan = (sent: string) => sent.includes('"type":"plan"');

/** In the order of the report. */
export const subjects: readonly Subject[] = [
  {
    name: 'the plan block of a turn’s progress',
    isIn: ({ sent }) => isPlan(sent),
    otherwise: 'no turn got so far',
  },
  {
    name: 'edits',
    isIn: ({ name, isPlain }) => name === 'chat.update' && !isPlain,
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
    otherwise: 'nobody but the bot was found in the channel',
  },
  {
    name: 'plain: the progress without a plan, and answers that come whole',
    isIn: ({ name, isPlain, sent }) =>
      isPlain && name === 'chat.postMessage' && sent.includes('"blocks":[{'),
    otherwise: 'no turn got so far',
  },
  {
    name: 'plain: a message without blocks',
    isIn: ({ name, isPlain, sent }) =>
      isPlain && name === 'chat.postMessage' && !sent.includes('"blocks":[{'),
    otherwise: 'no verdict was posted',
  },
  {
    name: 'files',
    otherwise: 'only a command gives one: try `/council export` there',
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
