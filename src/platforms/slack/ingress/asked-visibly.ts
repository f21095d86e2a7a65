/** Questions that are no message yet, from `/council ask` and “Ask the council”: they are put where all can see them. */

import type { TurnRequest } from '../../../council/council.ts';
import type { Depth } from '../../../domain/asking.ts';
import type { Log } from '../../../domain/log.ts';
import { AskedAtOnce, askedTooFast } from '../../chat/asking/asked-at-once.ts';
import { takenWords } from '../../chat/text/taken-words.ts';
import type { Asked, Ingress } from '../../platform.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { isRefusal, SlackUnanswered } from '../slack-error.ts';
import { placeOf, readThreadId } from '../thread-id.ts';
import type { People } from './people.ts';
import { answerIn, type PrivateAnswer } from './private-answers.ts';
import { QuestionPosts } from './question-post.ts';
import type { Readers } from './readers.ts';
import type { ChannelScene } from './scene.ts';

export interface VisibleQuestion {
  readonly text: string;
  /** Of the command or the shortcut: whatever is told of it again is no second question. */
  readonly eventId: string;
  readonly depth?: Depth;
  readonly sages?: readonly string[];
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
const waitsForStart =
  'The council can’t begin at the moment. The question is kept, and is taken up when the program is started again.';
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
    { text, eventId, depth, sages }: VisibleQuestion,
    answer: PrivateAnswer,
  ): Promise<void> {
    const { people, readers, now } = this.#options;
    const { threadId } = placeOf({ team, channel, thread: thread ?? eventId });
    const [name, seenBy] = await Promise.all([
      people.nameOf(team, userId),
      readers.of({ team, channel }),
    ]);
    const request = {
      ...{ threadId, eventId, question: text, ...seenBy },
      author: { id: userId, name },
      askedAt: now(),
      ...(depth ? { depth } : {}),
      ...(sages ? { sages } : {}),
    };
    const taken = await this.#post(request, (kept) => this.#posts.post(kept));
    if (taken.status === 'accepted') await answer.say(takenWords(taken.turnsBefore));
    if (taken.status === 'refused') await answer.say(taken.reason);
    if (taken.status === 'kept') await answer.say(waitsForStart);
  }

  /**
   * Goes on with a question that an earlier process has kept, and perhaps posted. Throws what Slack or
   * the store throws.
   */
  async askAgain(question: TurnRequest): Promise<void> {
    const taken = await this.#post(question, (kept) => this.#posts.postAgain(kept));
    if (taken.status !== 'refused') return;
    // The refusal is nobody else's business.
    await this.#posts.withdraw(question);
    const { team, channel, thread } = readThreadId(question.threadId);
    const within = thread === question.eventId ? {} : { thread };
    const scene = { team, channel, userId: question.author.id, ...within };
    await answerIn(this.#options.api, scene).say(taken.reason);
  }

  /** Nothing is posted that was not stored before. */
  async #post(
    request: Parameters<Ingress['ask']>[0],
    post: (kept: TurnRequest) => ReturnType<QuestionPosts['post']>,
  ): Promise<Asked | { readonly status: 'kept' }> {
    const { ingress, log } = this.#options;
    let kept: TurnRequest | undefined;
    let failure: { readonly error: unknown } | undefined;
    try {
      const taken = await ingress.ask(request, async (question) => {
        kept = question;
        try {
          return await post(question);
        } catch (error) {
          // It may be there, and then needs its turn.
          if (error instanceof SlackUnanswered) throw error;
          failure = { error };
          return undefined;
        }
      });
      if (!failure) return taken;
    } catch (error) {
      if (!kept) throw error;
      log.error({ turnId: kept.turnId, error }, 'a question waits for the next start');
      return { status: 'kept' };
    }
    if (!isRefusal(failure.error, ...closedPlaces)) throw failure.error;
    return { status: 'refused', reason: notThereWords };
  }
}
