/** Questions that are no message yet, from `/council ask` and “Ask the council”: they are put where all can see them. */

import type { TurnRequest } from '../../../council/council.ts';
import type { Choice } from '../../../domain/asking.ts';
import type { Log } from '../../../domain/log.ts';
import { askedTooFast, wordsFor } from '../../chat/asking/asking-words.ts';
import { AskedAtOnce, askShown } from '../../chat/asking/shown-questions.ts';
import { type Ingress, type OpenedThread, type OpenThread, questionIn } from '../../platform.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { isRefusal, SlackUnanswered } from '../slack-error.ts';
import { readThreadId } from '../thread-id.ts';
import type { People } from './people.ts';
import { answerIn, type PrivateAnswer } from './private-answers.ts';
import { QuestionPosts } from './question-post.ts';
import type { Readers } from './readers.ts';
import type { ChannelScene } from './scene.ts';
import { failureWords } from './tell-failure.ts';

export interface VisibleQuestion {
  readonly question: string;
  /** Of the command or the shortcut: whatever is told of it again is no second question. */
  readonly eventId: string;
  readonly choice?: Choice;
}

export interface AskedVisiblyOptions {
  readonly ingress: Ingress;
  readonly api: SlackApi;
  readonly people: People;
  readonly readers: Readers;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
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

export class VisibleAsking {
  readonly #options: AskedVisiblyOptions;
  readonly #posts: QuestionPosts;
  readonly #atOnce = new AskedAtOnce();

  constructor(options: AskedVisiblyOptions) {
    this.#options = options;
    this.#posts = new QuestionPosts(options.api, options.log);
  }

  /**
   * @param scene - With a thread, the question is said in it; else the thread opens on it.
   * @param answer - Where the person is told what became of it. Throws what it and the store throw.
   */
  async ask(scene: ChannelScene, question: VisibleQuestion, answer: PrivateAnswer): Promise<void> {
    const isTaken = await this.#atOnce.within(scene.userId, () =>
      this.#take(scene, question, answer),
    );
    if (!isTaken) await answer.say(askedTooFast);
  }

  async #take(
    { team, channel, thread, userId }: ChannelScene,
    { question, eventId, choice = {} }: VisibleQuestion,
    answer: PrivateAnswer,
  ): Promise<void> {
    const { people, readers, now } = this.#options;
    const [name, place] = await Promise.all([
      people.nameOf(team, userId),
      readers.placeOfScene({ team, channel, thread: thread ?? eventId, userId }),
    ]);
    const person = { id: userId, name };
    const request = questionIn(place, { eventId, question, person, askedAt: now(), ...choice });
    const open: OpenThread = (kept) => this.#open(kept, () => this.#posts.post(kept));
    const words = wordsFor(await askShown(request, open, this.#options));
    if (words !== undefined) await answer.say(words);
  }

  /** Finds or posts a question that an earlier process has kept. Throws what Slack throws. */
  openAgain(kept: TurnRequest): ReturnType<OpenThread> {
    return this.#open(kept, () => this.#posts.postAgain(kept));
  }

  /** Takes such a question back, and tells the person why. Throws what Slack throws. */
  async refuseAgain(question: TurnRequest, reason: string): Promise<void> {
    // The refusal is nobody else's business.
    await this.#posts.withdraw(question);
    const { team, channel, thread } = readThreadId(question.threadId);
    const within = thread === question.eventId ? {} : { thread };
    const scene = { team, channel, userId: question.author.id, ...within };
    await answerIn(this.#options.api, scene).say(reason);
  }

  async #open({ turnId }: TurnRequest, post: () => Promise<OpenedThread>): ReturnType<OpenThread> {
    try {
      return await post();
    } catch (error) {
      // It may be there, and then needs its turn.
      if (error instanceof SlackUnanswered) throw error;
      if (isRefusal(error, ...closedPlaces)) return { whyNot: notThereWords };
      this.#options.log.error({ turnId, error }, 'a question could not be posted');
      return { whyNot: failureWords(error) };
    }
  }
}
