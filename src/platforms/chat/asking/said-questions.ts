/** Questions that are simply said, in a message that people have written. */

import type { Place } from '../../../../commands/command.ts';
import { takenWords } from '../../../domain/asking.ts';
import { type Ingress, isAddressed, type ReadQuestion, type Remark } from '../../platform.ts';
import { bareWord } from '../text/spoken-line.ts';
import type { RefusalBrake } from './refusal-brake.ts';

/** A message of a person, as its platform reads it. */
export interface SaidMessage {
  readonly remark: Remark;
  readonly place: Place;
  readonly author: { readonly id: string };
  /** Where it was written, a thread or a channel. */
  readonly channelId: string;
  /** Reads the question in it; called only where it may be meant for the council. Nothing: there is none. */
  readonly question: ReadQuestion;
  /** Runs a command for the person, and shows them its reply. */
  readonly run: (command: 'help' | 'stop') => Promise<void>;
  /** Who reads what the person is told. */
  readonly answeredTo: 'author' | 'everybody';
  readonly tell: (sentence: string) => Promise<void>;
}

/**
 * Asks the council what a person has said, if it is meant for the council, and tells them when it is refused
 * or has to wait. A bare “help” or “stop” that is said to the council is no question, and does that; a mere
 * greeting is answered with the help. Throws what `question`, `tell` and the store throw.
 */
export async function askSaid(
  { remark, place, author, channelId, question: read, run, answeredTo, tell }: SaidMessage,
  { ingress, brake }: { readonly ingress: Ingress; readonly brake: RefusalBrake },
): Promise<void> {
  const word = isAddressed(remark) ? bareWord(remark.text) : undefined;
  // In a chat there is nothing to leave.
  if (word === 'leave') return;
  const runBraked = async (command: 'help' | 'stop') => {
    if (brake.take(author.id, channelId)) await run(command);
  };
  if (word) return runBraked(word);
  const question = await ingress.meant(remark, place, read);
  if (!question) return;
  if (question === 'greeting') return runBraked('help');
  const asked = await ingress.ask(question);
  if (asked.status === 'accepted' && asked.isNew && asked.turnsBefore > 0) {
    await tell(takenWords(asked.turnsBefore));
  } else if (asked.status === 'refused') {
    const hearers = answeredTo === 'author' ? `${author.id} ${channelId}` : channelId;
    const mayTell = asked.isStranger
      ? isAddressed(remark) && brake.takeStranger(hearers)
      : brake.take(author.id, channelId);
    if (mayTell) await tell(asked.reason);
  }
}
