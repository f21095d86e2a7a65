/** The greeting, and sentences about a question before it is answered. */

import { type Reply, textReply } from '../../../../commands/command.ts';
import type { TurnWords } from '../../../domain/languages/english.ts';
import type { FollowUpMode } from '../../../settings/file-table.ts';

export const waitsForStart =
  'The council can’t start right now. Your question is saved, and it will be answered once the program restarts.';

/** For a channel whose questions wait for a place among those that are answered. */
export const waitsHere =
  'Questions are waiting here. I answer them in order, and open a thread on each when its turn comes.';

/** Replies to a command whose answer is posted for everyone. */
export const postedBelow = 'It’s posted below, where everyone here can see it.';
export const postedInThread = 'It’s posted in the thread, where everyone there can see it.';

/** Refuses a question about a message without text. */
export const wordlessMessage = 'That message has no words for the council to think about.';
/** Refuses a question that is spoken. */
export const unheardMessage =
  'The council can’t listen to voice messages or watch videos yet. Write your question instead.';

/** How to ask a follow-up, for a card or progress message. */
export function followUpNote(
  {
    where,
    mode,
    canReply,
  }: {
    /** `thread`: a thread of the council in which it reads every message. */
    readonly where: 'direct message' | 'thread' | 'elsewhere';
    readonly mode: FollowUpMode;
    /** Replies to a sage's message are addressed to that sage. */
    readonly canReply: boolean;
  },
  { followUp }: TurnWords,
): string {
  if (where === 'direct message') return followUp.direct;
  if (where === 'elsewhere' || mode === 'mention') return followUp.mention;
  return `${followUp[mode]} ${canReply ? followUp.oneSageOrReply : followUp.oneSage}`;
}

/** The greeting after the council was added, and the help that everyone sees. @param where - What it was added to. */
export function hello(where: 'server' | 'channel'): Reply {
  const text = [
    '**Hello, I’m Council.** Ask me a question, and several AI sages each give you their own answer. They review one another without knowing who wrote what, and a chair sums it all up in one verdict.',
    [
      '- **Ask:** `/council ask` and your question, or mention me with it. I answer in a thread.',
      '- **Everything I can do:** `/council help`; only you see it.',
      `- **Settings:** people who manage this ${where} choose the sages, the depth and the budget with \`/council config\`.`,
    ].join('\n'),
  ];
  return { ...textReply(text.join('\n\n')), isPrivate: false };
}
