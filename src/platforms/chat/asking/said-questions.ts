/** Questions that people ask by writing a message, and edits of such messages. */

import { LRUCache } from 'lru-cache';
import type { Place } from '../../../../commands/command.ts';
import { acceptedWords } from '../../../domain/turn-words.ts';
import { oneLine } from '../../../domain/words.ts';
import { type Ingress, isAddressed, type ReadQuestion, type Remark } from '../../platform.ts';
import type { KnownCommand } from '../text/command-line.ts';
import { bareWord } from '../text/spoken-line.ts';

/** A message from a person. */
export interface SaidMessage {
  readonly remark: Remark;
  readonly place: Place;
  readonly author: { readonly id: string };
  /** The thread or channel of the message. */
  readonly channelId: string;
  /** Reads its question; called only if it may be meant for the council. */
  readonly question: ReadQuestion;
  /** Runs a command for the person and shows the reply. */
  readonly run: (command: 'help' | 'stop') => Promise<void>;
  /** Who can read the replies to the person. */
  readonly answeredTo: 'author' | 'everybody';
  readonly reply: (sentence: string) => Promise<void>;
}

interface Asking {
  readonly ingress: Ingress;
  readonly brake: RefusalBrake;
  readonly commands: readonly Pick<KnownCommand, 'name'>[];
}

/**
 * Asks the council a person's message if it is meant for the council, and replies if it is refused or queued. A bare
 * “help” or “stop” addressed to the council runs that command; a greeting or another command’s name gets the help.
 * Throws the errors of `question`, `reply` and the store.
 */
export async function askSaid(
  { remark, place, author, channelId, question: read, run, answeredTo, reply }: SaidMessage,
  { ingress, brake, commands }: Asking,
): Promise<void> {
  const word = isAddressed(remark) ? bareWord(remark.text, commands) : undefined;
  // Only the terminal has a conversation to leave.
  if (word === 'leave') return;
  const runBraked = async (command: 'help' | 'stop') => {
    // A flood by others does not keep anyone from stopping the council.
    const mostHere = command === 'stop' ? Infinity : undefined;
    if (brake.take(author.id, channelId, mostHere)) await run(command);
  };
  if (word) return runBraked(word);
  const question = await ingress.interpret(remark, place, read);
  if (!question) return;
  if (question === 'greeting') return runBraked('help');
  const asked = await ingress.ask(question);
  if (asked.status === 'accepted' && asked.isNew && asked.turnsBefore > 0) {
    await reply(acceptedWords(asked));
  } else if (asked.status === 'refused') {
    const readers = answeredTo === 'author' ? `${author.id} ${channelId}` : channelId;
    const mayReply = asked.isStranger
      ? isAddressed(remark) && brake.takeStranger(readers)
      : brake.take(author.id, channelId);
    const isPrivate = answeredTo === 'author' || remark.where === 'direct message';
    const { reason, inPublic = reason } = asked;
    if (mayReply) await reply(isPrivate ? reason : inPublic);
  }
}

/** How long after posting an edit can turn a message into a question. Answers to edits of old messages surprise people. */
export const editAsksWithinMs = 600_000;

export const editedWords = 'You changed your question. The council uses the earlier version.';
export const askAgainLabel = 'Ask the edited question';
/** For places without buttons. */
export const askAgainYourself = `${editedWords} To get an answer to the new one, ask again.`;
export const notYoursWords = 'Only the person who asked this can ask it again.';
export const askedAlreadyWords = 'It’s already being asked.';
export const messageGoneWords = 'The message is gone or no longer contains a question.';

/** An edited message. */
export interface EditedMessage {
  readonly said: SaidMessage;
  /** The `eventId` of the message in {@link Ingress.ask}. */
  readonly eventId: string;
  /** Time since the message was posted, in milliseconds. */
  readonly ageMs: number;
  /** Offers the person privately to ask the edited question. */
  readonly offer: () => Promise<void>;
}

/**
 * Handles an edit: asks the message if the edit addresses it to the council, e.g. by a mention. If the message was
 * asked before, offers to ask the new version. Throws the errors of `said`, `offer` and the store.
 */
export async function handleEdit(
  { said, eventId, ageMs, offer }: EditedMessage,
  options: Asking,
): Promise<void> {
  const { remark, place, author, channelId } = said;
  const turn = await options.ingress.turnOf(eventId, place);
  if (!turn) {
    // Unaddressed messages were judged when they were posted.
    if (isAddressed(remark) && ageMs < editAsksWithinMs) await askSaid(said, options);
    return;
  }
  const question = remark.text.trim() === '' ? undefined : await said.question();
  const isChanged = question !== undefined && oneLine(question.question) !== oneLine(turn.question);
  if (isChanged && options.brake.take(author.id, channelId)) await offer();
}

/** How many refusals a person gets in a channel within {@link spanMs}, counted from the first. */
const most = 3;
/** How many all people in a channel get together, each of whom could otherwise have {@link most}. */
const mostInChannel = 20;
const spanMs = 30_000;
/** Least time between two refusals to people whom the operator doesn't allow to ask. */
const strangerSpanMs = 86_400_000;
/** How many strangers are remembered. Beyond that, they get no refusal, which suits a flood. */
const mostStrangers = 1000;
/** More people than are refused within {@link spanMs}. */
const mostPeople = 10_000;

/**
 * Limits refusals, so that a flood of questions, by one person or by many, doesn't fill a channel and delay the
 * answers to everyone else.
 */
export class RefusalBrake {
  /** Number of refusals by person and place, and by place. */
  readonly #counts: LRUCache<string, number>;
  readonly #strangers: LRUCache<string, true>;

  /** @param now - Milliseconds from any fixed moment after 0. */
  constructor(now: () => number = Date.now) {
    const clock = { perf: { now }, ttlResolution: 0 };
    this.#counts = new LRUCache({ max: mostPeople, ttl: spanMs, noUpdateTTL: true, ...clock });
    this.#strangers = new LRUCache({ max: mostStrangers, ttl: strangerSpanMs, ...clock });
  }

  /**
   * Whether a person may get a refusal now; if so, counts it.
   *
   * @param mostHere - How many all people in the channel may get together.
   */
  take(personId: string, channelId: string, mostHere = mostInChannel): boolean {
    const own = `${personId} ${channelId}`;
    const count = this.#counts.get(own) ?? 0;
    const here = this.#counts.get(channelId) ?? 0;
    if (count >= most || here >= mostHere) return false;
    this.#counts.set(own, count + 1).set(channelId, here + 1);
    return true;
  }

  /**
   * Like {@link take}, for people whom the operator doesn't allow to ask.
   *
   * @param readers - Who reads the refusal: a channel, or one person in it.
   */
  takeStranger(readers: string): boolean {
    this.#strangers.purgeStale();
    if (this.#strangers.has(readers) || this.#strangers.size >= mostStrangers) return false;
    this.#strangers.set(readers, true);
    return true;
  }
}
