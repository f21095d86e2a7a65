/** What people are told of a question on its way: that it was taken, waits, was refused or taken back. */

import type { FollowUpMode } from '../../../settings/file-table.ts';

/** In place of what showed a question whose message was deleted, or that was forgotten on its way. */
export const takenBackWords = 'This question was taken back.';

export const askedTooFast =
  'You ask faster than the council can take it in. Wait until your last questions have been taken.';

export const waitsForStart =
  'The council can’t begin at the moment. The question is kept, and is taken up when the program is started again.';

/** In the place of an answer that is posted for everybody. */
export const postedBelow = 'It is posted below, for everybody here.';
export const postedInThread = 'It is posted in the thread, for everybody there.';

/** Of a message that a question is to be asked about. */
export const wordlessMessage =
  'There are no words in that message that the council could think about.';

export const messageGone =
  'I can’t read that message any more. Choose it again, or ask in your own words.';

/** Of a question that was changed while its turn runs. */
export const editedTooLate =
  'The council has taken this question up as it was before. To have it answer the new one, press Stop or delete the message, and ask again.';

/** For a card or a progress message: how a follow-up is asked there. */
export function followUpNote({
  where,
  mode,
  canReply,
}: {
  /** `thread`: one of the council in which it hears every message. */
  readonly where: 'direct message' | 'thread' | 'elsewhere';
  readonly mode: FollowUpMode;
  /** A reply to what a sage has said reaches that sage. */
  readonly canReply: boolean;
}): string {
  if (where === 'direct message') return 'Write on to ask a follow-up.';
  if (where === 'elsewhere' || mode === 'mention') return 'Mention me here to ask a follow-up.';
  const next =
    mode === 'asked'
      ? 'Ask a question in the thread to follow up.'
      : 'Every message in the thread is a follow-up.';
  return `${next} Begin with a sage’s name${canReply ? ', or reply to it,' : ''} to hear it alone.`;
}
