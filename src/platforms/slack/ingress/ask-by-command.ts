/** Questions that are no message yet, from `/council ask` and “Ask the council”: they are put where all can see them. */

import type { Choice } from '../../../domain/asking.ts';
import type { TurnRequest } from '../../../domain/turn.ts';
import { AskedAtOnce, askShown, wordsFor } from '../../chat/asking/shown-questions.ts';
import { patientWaitsMs } from '../../chat/pacing/back-off.ts';
import { splitMarkdown } from '../../chat/text/split-markdown.ts';
import { type OpenedThread, type OpenThread, questionIn } from '../../platform.ts';
import { findMarked, type MessageBody, postOnce, type Spot } from '../api/messages.ts';
import { withRetries } from '../api/patience.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { type ChannelScene, eventIdOf, placeOf, readThreadId } from '../place.ts';
import {
  markdownBlock,
  maxMarkdownChars,
  mention,
  paragraphs,
  words,
} from '../presenter/blocks.ts';
import { questionPart } from '../presenter/turn-poster.ts';
import { isRefusal, isUnavailable, SlackUnanswered } from '../slack-error.ts';
import { inertSlackMarkdown } from '../slack-text.ts';
import { answerIn, failureWords, type PrivateAnswer } from './answers.ts';
import type { IngressContext } from './readers.ts';

export interface VisibleQuestion extends Pick<TurnRequest, 'hears' | 'heard' | 'repliesTo'> {
  readonly question: string;
  /** Of the command or the shortcut: told again, it is no second question. */
  readonly eventId: string;
  readonly choice?: Choice;
}

const notThereWords =
  'I am not in this conversation, so I could not answer here. Invite me with /invite, and ask again.';
/** Slack's words for places in which the app can't speak. */
const closedPlaces = [
  'not_in_channel',
  'channel_not_found',
  'is_archived',
  'restricted_action',
] as const;

const clocksDifferByMs = 300_000;

export class VisibleQuestions {
  readonly #options: IngressContext;
  readonly #atOnce = new AskedAtOnce();

  constructor(options: IngressContext) {
    this.#options = options;
  }

  /**
   * @param scene - With a thread, the question is said in it; else the thread opens on it.
   * @param answer - Where the person is told what became of it. Throws what it and the store throw.
   */
  async ask(scene: ChannelScene, question: VisibleQuestion, answer: PrivateAnswer): Promise<void> {
    const take = () => this.#take(scene, question, answer);
    await this.#atOnce.within(scene.userId, take, answer.say);
  }

  async #take(
    { team, channel, thread, userId, workspace }: ChannelScene,
    { choice = {}, ...asked }: VisibleQuestion,
    answer: PrivateAnswer,
  ): Promise<void> {
    const { people, readers, now } = this.#options;
    const [name, place] = await Promise.all([
      people.nameOf(team, userId),
      readers.placeOfScene({ team, channel, thread: thread ?? asked.eventId, userId }),
    ]);
    const person = { id: userId, name, ...(workspace === undefined ? {} : { workspace }) };
    const request = questionIn(place, { ...asked, person, askedAt: now(), ...choice });
    const told = wordsFor(await askShown(request, (kept) => this.#open(kept), this.#options));
    if (told !== undefined) await answer.say(told);
  }

  /** Finds the post of a question that an earlier process has kept, or posts it. Throws what Slack throws. */
  readonly openAgain: OpenThread = (kept) => this.#open(kept, () => this.#find(kept));

  /** Takes such a question back, and tells the person why. Throws what Slack throws. */
  async refuseAgain(question: TurnRequest, reason: string): Promise<void> {
    const { api } = this.#options;
    const spot = spotOf(question);
    const ts = await this.#find(question);
    // A question without a turn would wait for ever, and only its author need know of the refusal.
    if (ts !== undefined) await api.call(spot.team, 'chat.delete', { channel: spot.channel, ts });
    await answerIn(api, { ...spot, userId: question.author.id }).say(reason);
  }

  /**
   * Posts a question in its thread; where it has none, the thread opens on the post. Throws what Slack throws
   * where the post may be there.
   *
   * @param find - Finds a post of it that is there already.
   */
  async #open(
    question: TurnRequest,
    find?: () => Promise<string | undefined>,
  ): Promise<OpenedThread | { readonly whyNot: string }> {
    const { api, log } = this.#options;
    const { turnId } = question;
    const spot = spotOf(question);
    try {
      const ts =
        (await find?.()) ??
        // It is stored, so it can wait.
        (await postOnce(
          api,
          spot,
          { ...announcement(question), mark: markOf(question) },
          patientWaitsMs,
          () => seek(api, question),
        ));
      const { team, channel, thread = ts } = spot;
      // From then on the post stands for what asked, as a message of a person would.
      const { threadId } = placeOf({ team, channel, thread });
      return { threadId, eventId: eventIdOf(channel, ts) };
    } catch (error) {
      // It may be there, and then needs its turn.
      if (error instanceof SlackUnanswered) throw error;
      // It was promised an answer long ago, and can be taken up again.
      if (find && isUnavailable(error)) throw error;
      if (isRefusal(error, ...closedPlaces)) return { whyNot: notThereWords };
      log.error({ turnId, error }, 'a question could not be posted');
      return { whyNot: failureWords(error) };
    }
  }

  async #find(question: TurnRequest): Promise<string | undefined> {
    const { api, log } = this.#options;
    try {
      return await seek(withRetries(api, patientWaitsMs), question);
    } catch (error) {
      if (!isRefusal(error, 'missing_scope')) throw error;
      const { turnId } = question;
      log.warn({ turnId, error }, 'the channel can’t be read, so a question may be posted twice');
      return undefined;
    }
  }
}

function seek(api: SlackApi, question: TurnRequest): Promise<string | undefined> {
  const since = `${Math.floor((question.askedAt - clocksDifferByMs) / 1000)}`;
  return findMarked(api, spotOf(question), markOf(question), since);
}

function markOf({ turnId }: TurnRequest) {
  return { turnId, part: questionPart };
}

/** A question that has no thread yet has the id of what asked in its place. */
function spotOf({ threadId, eventId }: TurnRequest): Spot {
  const { team, channel, thread } = readThreadId(threadId);
  return { team, channel, ...(thread === eventId ? {} : { thread }) };
}

/** Names the person who asked so that the thread is among theirs. Their own message, which stands above, is the question. */
function announcement(asked: TurnRequest): MessageBody {
  const { question, author, repliesTo } = asked;
  const isAbove = spotOf(asked).thread !== undefined && repliesTo === undefined;
  const says = isAbove ? ' asks the council about this message.' : ' asks the council:';
  const [piece = ''] = isAbove ? [] : splitMarkdown(inertSlackMarkdown(question), maxMarkdownChars);
  return {
    text: inertSlackMarkdown(`${author.name} asks the council`),
    blocks: [
      paragraphs([mention(author.id), words(says)]),
      ...(piece.trim() === '' ? [] : [markdownBlock(piece)]),
    ],
  };
}
