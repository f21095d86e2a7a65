/** Questions that people change after they have said them. */

import { oneLine } from '../../../domain/words.ts';
import { type AskedTurn, type Ingress, isAddressed, type Question } from '../../platform.ts';
import type { RefusalBrake } from './refusal-brake.ts';
import { askSaid, type SaidMessage } from './said-questions.ts';

/** For how long an edit makes a question of a message that was none. One of an old message surprises people. */
export const editAsksWithinMs = 600_000;

export const editedWords = 'You changed your question. The council goes by what it said before.';
export const askAgainLabel = 'Ask again as it is now';
/** Where no button can be shown. */
export const askAgainYourself = `${editedWords} To have the new one answered, ask again.`;
export const notYoursWords = 'Only the person who asked this can have it asked again.';
export const askedAlreadyWords = 'It is being asked already.';
export const messageGoneWords = 'The message is gone, or there is nothing in it to ask.';

/** A message of a person as it is now. */
export interface EditedMessage {
  readonly said: SaidMessage;
  /** As {@link Ingress.ask} would be given it for the message. */
  readonly eventId: string;
  /** How long ago it was written, in milliseconds. */
  readonly ageMs: number;
  /** Offers the person, quietly, to have the council answer what the message says now. */
  readonly offer: (turn: AskedTurn) => Promise<void>;
}

/**
 * Asks what an edit has made a question for the council, e.g. by a mention; of one that was asked already, offers
 * to ask it as it is now. Throws what `said`, `offer` and the store throw.
 */
export async function hearEdit(
  { said, eventId, ageMs, offer }: EditedMessage,
  options: { readonly ingress: Ingress; readonly brake: RefusalBrake },
): Promise<void> {
  const { remark, place, author, channelId } = said;
  const turn = await options.ingress.turnOf(eventId, place);
  if (!turn) {
    // What rules leave open was judged when it was said.
    if (isAddressed(remark) && ageMs < editAsksWithinMs) await askSaid(said, options);
    return;
  }
  const question = remark.text.trim() === '' ? undefined : await said.question();
  const isChanged = question !== undefined && !isSame(question, turn);
  if (isChanged && options.brake.take(author.id, channelId)) await offer(turn);
}

/** However it is spaced. */
function isSame(question: Question, turn: AskedTurn): boolean {
  return oneLine(question.question) === oneLine(turn.question);
}
