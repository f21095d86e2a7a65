/** Questions that people simply write in a message, and may edit afterwards. */

import type { Place } from '../../../../commands/command.ts';
import { takenWords } from '../../../domain/asking.ts';
import { oneLine } from '../../../domain/words.ts';
import {
  type AskedTurn,
  type Ingress,
  isAddressed,
  type Question,
  type ReadQuestion,
  type Remark,
} from '../../platform.ts';
import { bareWord } from '../text/spoken-line.ts';

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
  const question = await ingress.interpret(remark, place, read);
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

/** How often, in any span of this length, a person is told in a channel that a question was not taken. */
const most = 3;
const spanMs = 30_000;
/** How often at most a person is told that the operator lets them ask nothing at all. */
const strangerSpanMs = 86_400_000;
/** How many are remembered. Beyond that no stranger is told, which is what a flood deserves. */
const mostStrangers = 1000;

/**
 * Keeps the bot from filling a channel with refusals of one person's flood of questions: they would hold up
 * the answers to everybody else. Being told a few times is enough.
 */
export class RefusalBrake {
  readonly #now: () => number;
  /** By whom and where, until when each time counts. */
  readonly #told = new Map<string, readonly number[]>();

  /** @param now - Milliseconds from any fixed moment. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Whether a person may be told once more now; if so, it counts. */
  take(personId: string, channelId: string): boolean {
    return this.#take(`${personId} ${channelId}`, most, spanMs);
  }

  /**
   * Whether a person may be told now that the operator lets them ask nothing at all; if so, it counts.
   *
   * @param hearers - Who reads it: a channel, or one person in it.
   */
  takeStranger(hearers: string): boolean {
    return this.#told.size < mostStrangers && this.#take(`stranger ${hearers}`, 1, strangerSpanMs);
  }

  #take(key: string, mostTold: number, forMs: number): boolean {
    const now = this.#now();
    this.#forget(now);
    const told = this.#told.get(key) ?? [];
    if (told.length >= mostTold) return false;
    this.#told.set(key, [...told, now + forMs]);
    return true;
  }

  #forget(now: number): void {
    for (const [key, told] of this.#told) {
      const counting = told.filter((until) => until > now);
      if (counting.length === 0) this.#told.delete(key);
      else if (counting.length < told.length) this.#told.set(key, counting);
    }
  }
}
