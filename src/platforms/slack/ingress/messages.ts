/** Questions in messages: by mention, in direct messages, in the council's threads. */

import { LRUCache } from 'lru-cache';
import type { Place } from '../../../../commands/command.ts';
import {
  askAgainLabel,
  askAgainYourself,
  askSaid,
  editAsksWithinMs,
  editedWords,
  handleEdit,
  type RefusalBrake,
  type SaidMessage,
} from '../../chat/asking/said-questions.ts';
import { wordsFor } from '../../chat/asking/shown-questions.ts';
import { heardAlone, wordlessQuestion } from '../../chat/surroundings.ts';
import { type Question, questionIn } from '../../platform.ts';
import type { Action } from '../action-id.ts';
import { type ChannelScene, eventIdOf, isDirect, momentOf, placeOf } from '../place.ts';
import { button, buttonRow, paragraphs, words } from '../presenter/blocks.ts';
import { mentions, mentionsOthers, withoutMentionOf } from '../slack-text.ts';
import { toHeardMessage } from '../surroundings/hear.ts';
import {
  attachmentWords,
  type BotIds,
  type MessageChange,
  type Post,
  readMessageEvent,
} from '../surroundings/said-message.ts';
import { answerIn, type PrivateAnswer } from './answers.ts';
import type { IngressContext } from './readers.ts';

export interface PostsOptions extends IngressContext {
  readonly brake: RefusalBrake;
}

/** The workspace of an event, and the bot's ids there. */
export interface EventContext extends BotIds {
  readonly team: string;
  /** The person's workspace, if it differs. */
  readonly workspace?: string;
}

/** Older posts are found in the store if they made a turn. */
const maxRemembered = 2000;

/** Handles posts, edits and deletions of messages. */
export class Posts {
  readonly #options: PostsOptions;
  /** By post: Slack may send one as a mention and as a message, and redeliver both. */
  readonly #handled = new LRUCache<string, Promise<void>>({ max: maxRemembered });

  constructor(options: PostsOptions) {
    this.#options = options;
  }

  /** @param event - Of type `message` or `app_mention`. Throws what Slack or the store throws. */
  async handle(event: unknown, context: EventContext): Promise<void> {
    const change = readMessageEvent(event, context);
    switch (change?.kind) {
      case 'posted': {
        const { post } = change;
        // Slack sends `app_mention` again for every edit of the message.
        if (post.edited && !this.#isRecent(post)) return;
        return this.#once(keyOf(context, post), () => this.#posted(post, context));
      }
      case 'edited': {
        const key = `${keyOf(context, change.post)} ${change.post.edited?.ts}`;
        return this.#once(key, () => this.#edited(change.post, context));
      }
      case 'deleted':
        return this.#deleted(change, context);
    }
  }

  /**
   * Handles an event once, however often it is delivered: a second delivery waits for the first and throws
   * as it does. After a failure, it may be delivered again.
   */
  async #once(key: string, work: () => Promise<void>): Promise<void> {
    const known = this.#handled.get(key);
    if (known) return known;
    const handling = work();
    this.#handled.set(key, handling);
    try {
      await handling;
    } catch (error) {
      if (this.#handled.get(key) === handling) this.#handled.delete(key);
      throw error;
    }
  }

  #posted(post: Post, context: EventContext): Promise<void> {
    return askSaid(this.#said(post, context), this.#options);
  }

  #said(post: Post, context: EventContext): SaidMessage {
    const { channel, thread_ts: thread, ts, user, text } = post;
    const namesCouncil = mentions(text, context.botUserId);
    const isAlone = isDirect(channel);
    const place = placeOf({ team: context.team, channel, thread: thread ?? ts });
    return {
      remark: {
        text: withoutMentionOf(text, context.botUserId).trim() || wordlessIf(hasAttached(post)),
        where: isAlone ? 'direct message' : thread === undefined ? 'elsewhere' : 'thread',
        namesCouncil,
        isForOthers: mentionsOthers(text, context.botUserId),
      },
      ...{ place, author: { id: user }, channelId: channel },
      question: async () => {
        const isForCouncil =
          namesCouncil || isAlone || (await this.#isInCouncilThread(post, place));
        return isForCouncil ? this.#question(post, context) : undefined;
      },
      run: (command) => this.#run(command, post, context),
      answeredTo: 'author',
      reply: (sentence) => this.#answer(post, context.team).say(sentence),
    };
  }

  /** Whether a post is in a thread that began with a question to the council. */
  async #isInCouncilThread({ channel, thread_ts: thread }: Post, place: Place): Promise<boolean> {
    if (thread === undefined) return false;
    return (await this.#options.ingress.turnOf(eventIdOf(channel, thread), place)) !== undefined;
  }

  /** @returns `undefined` for a post without words; its author is then shown how to ask. */
  async #question(post: Post, context: EventContext): Promise<Question | undefined> {
    const { people, readers } = this.#options;
    const { team, botUserId, workspace } = context;
    const { channel, ts, thread_ts: thread = ts, user, text } = post;
    const plain = await people.plain(team, text, botUserId);
    const isInThread = post.thread_ts !== undefined && !isDirect(channel);
    const isAsked = isInThread || hasAttached(post);
    const written = plain === '' && isAsked ? wordlessQuestion : plain;
    if (written === '') {
      await this.#help(post, context);
      return undefined;
    }
    const [name, place, attached] = await Promise.all([
      people.nameOf(team, user),
      readers.placeOfScene({ team, channel, thread, userId: user }),
      // Without its own text, which is the question.
      hasAttached(post) &&
        toHeardMessage({ ...post, text: '', blocks: undefined }, { team, channel }, people),
    ]);
    const person = { id: user, name, ...(workspace === undefined ? {} : { workspace }) };
    return questionIn(place, {
      eventId: eventIdOf(channel, ts),
      ...{ question: written, person, askedAt: momentOf(ts) },
      ...(isInThread && { hears: 'thread' as const }),
      ...(attached && { heard: heardAlone(attached, place.threadId, 'replies') }),
    });
  }

  async #help(post: Post, context: EventContext): Promise<void> {
    const { brake } = this.#options;
    if (!brake.take(post.user, post.channel)) return;
    await this.#run('help', post, context);
  }

  async #run(command: 'help' | 'stop', post: Post, { team }: EventContext): Promise<void> {
    const { ingress, people } = this.#options;
    const { channel, ts, thread_ts: thread = ts, user } = post;
    const person = await people.personIn({ team, channel, userId: user });
    const place = placeOf({ team, channel, thread });
    const reply = await ingress.command({ place, person, command, options: {} });
    await this.#answer(post, team).show(reply);
  }

  async #edited(post: Post, context: EventContext): Promise<void> {
    const { channel, ts, thread_ts: thread, text, edited } = post;
    await this.#handled.get(keyOf(context, post))?.catch(() => undefined);
    const answer = this.#answer(post, context.team);
    const offered: Action = {
      ...{ kind: 'again', ts, editedAt: edited?.ts ?? ts, text },
      ...(thread && { thread }),
    };
    const again = button(askAgainLabel, offered);
    await handleEdit(
      {
        said: this.#said(post, context),
        eventId: eventIdOf(channel, ts),
        ageMs: this.#options.now() - momentOf(ts),
        offer: () =>
          again
            ? answer.send({
                text: editedWords,
                blocks: [paragraphs([words(editedWords)]), ...buttonRow([again])],
              })
            : answer.say(askAgainYourself),
      },
      this.#options,
    );
  }

  /** Asks an edited question; pressing the button twice asks once. Throws what Slack and the store throw. */
  async askAgain(
    { ts, thread, editedAt, text }: Extract<Action, { kind: 'again' }>,
    { channel, userId }: ChannelScene,
    context: EventContext,
  ): Promise<void> {
    const post = {
      channel,
      ts,
      user: userId,
      text,
      files: [],
      ...(thread && { thread_ts: thread }),
    };
    const question = await this.#question(post, context);
    if (!question) return;
    const editOf = question.eventId;
    const asked = await this.#options.ingress.ask({
      ...question,
      ...{ editOf, eventId: `${editOf}:${editedAt}`, askedAt: this.#options.now() },
    });
    const outcome = wordsFor(asked);
    if (outcome !== undefined) await this.#answer(post, context.team).say(outcome);
  }

  #isRecent({ ts }: Post): boolean {
    return this.#options.now() - momentOf(ts) < editAsksWithinMs;
  }

  async #deleted(
    { channel, ts, thread, turnId }: Extract<MessageChange, { kind: 'deleted' }>,
    context: EventContext,
  ): Promise<void> {
    const { ingress } = this.#options;
    await this.#handled.get(keyOf(context, { channel, ts }))?.catch(() => undefined);
    const { threadId } = placeOf({ team: context.team, channel, thread });
    const post = {
      ...{ eventId: eventIdOf(channel, ts), threadId, postedAt: momentOf(ts) },
      ...(turnId === undefined ? {} : { turnId }),
    };
    await ingress.deleted({ kind: 'posts', posts: [post] });
  }

  /** Answers in the thread only if the person wrote in one. */
  #answer({ channel, thread_ts: thread, ts, user: userId }: Post, team: string): PrivateAnswer {
    const within = isDirect(channel) ? (thread ?? ts) : thread;
    const at = within === undefined ? {} : { thread: within };
    return answerIn(this.#options.api, { team, channel, userId, ...at });
  }
}

function keyOf({ team }: EventContext, { channel, ts }: Pick<Post, 'channel' | 'ts'>): string {
  return `${team} ${eventIdOf(channel, ts)}`;
}

function wordlessIf(isAbout: boolean): string {
  return isAbout ? wordlessQuestion : '';
}

/** Whether a post has attachments or files, which can be a question without words. */
function hasAttached({ attachments, files }: Post): boolean {
  return attachmentWords(attachments) !== '' || files.length > 0;
}
