/** Questions that are simply said: by mention, in a direct message, in a thread of the council. */

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
import { heardAlone, wordlessQuestion } from '../../chat/hearing.ts';
import { type Question, questionIn } from '../../platform.ts';
import type { Action } from '../action-id.ts';
import { heardIn } from '../hearing/hear.ts';
import { attachmentWords } from '../hearing/said-message.ts';
import { button, buttonRow, paragraphs, words } from '../presenter/blocks.ts';
import { mentions, mentionsOthers, withoutMentionOf } from '../slack-text.ts';
import { placeOf } from '../thread-id.ts';
import { answerIn, type PrivateAnswer } from './answers.ts';
import { type Heard, type OwnIds, type Post, readHeard } from './heard.ts';
import type { IngressContext } from './readers.ts';
import { type ChannelScene, eventIdOf, isDirect, momentOf } from './scene.ts';

export interface PostsOptions extends IngressContext {
  readonly brake: RefusalBrake;
}

/** Whose workspace it is told in, and who the bot is there. */
export interface Hearer extends OwnIds {
  readonly team: string;
  /** Of the person, where it is another. */
  readonly workspace?: string;
}

/** Posts that are remembered; the store knows for good which of them made a turn. */
const mostHeard = 2000;

export class Posts {
  readonly #options: PostsOptions;
  /** By post: it is told once as a mention and once as a message, and perhaps again. */
  readonly #heard = new LRUCache<string, Promise<void>>({ max: mostHeard });

  constructor(options: PostsOptions) {
    this.#options = options;
  }

  /** @param event - Of type `message` or `app_mention`. Throws what Slack or the store throws. */
  async hear(event: unknown, hearer: Hearer): Promise<void> {
    const heard = readHeard(event, hearer);
    switch (heard?.kind) {
      case 'posted': {
        const { post } = heard;
        // Slack tells of a mention anew whenever its message is edited.
        if (post.edited && !this.#isRecent(post)) return;
        return this.#once(keyOf(hearer, post), () => this.#posted(post, hearer));
      }
      case 'edited': {
        const key = `${keyOf(hearer, heard.post)} ${heard.post.edited?.ts}`;
        return this.#once(key, () => this.#edited(heard.post, hearer));
      }
      case 'deleted':
        return this.#deleted(heard, hearer);
    }
  }

  /**
   * Handles an event once, however often and by whichever way it is delivered: a second delivery waits for
   * the first, and throws as it does. One that failed may be delivered again.
   */
  async #once(key: string, work: () => Promise<void>): Promise<void> {
    const known = this.#heard.get(key);
    if (known) return known;
    const begun = work();
    this.#heard.set(key, begun);
    try {
      await begun;
    } catch (error) {
      if (this.#heard.get(key) === begun) this.#heard.delete(key);
      throw error;
    }
  }

  #posted(post: Post, hearer: Hearer): Promise<void> {
    return askSaid(this.#said(post, hearer), this.#options);
  }

  #said(post: Post, hearer: Hearer): SaidMessage {
    const { channel, thread_ts: thread, ts, user, text } = post;
    const namesCouncil = mentions(text, hearer.botUserId);
    const isAlone = isDirect(channel);
    const place = placeOf({ team: hearer.team, channel, thread: thread ?? ts });
    return {
      remark: {
        text: withoutMentionOf(text, hearer.botUserId).trim() || wordlessIf(hasBeside(post)),
        where: isAlone ? 'direct message' : thread === undefined ? 'elsewhere' : 'thread',
        namesCouncil,
        isForOthers: mentionsOthers(text, hearer.botUserId),
      },
      ...{ place, author: { id: user }, channelId: channel },
      question: async () => {
        const isToAnswer = namesCouncil || isAlone || (await this.#isInCouncilThread(post, place));
        return isToAnswer ? this.#question(post, hearer) : undefined;
      },
      run: (command) => this.#run(command, post, hearer),
      answeredTo: 'author',
      reply: (sentence) => this.#answer(post, hearer.team).say(sentence),
    };
  }

  /** In a thread that began with a question to the council. */
  async #isInCouncilThread({ channel, thread_ts: thread }: Post, place: Place): Promise<boolean> {
    if (thread === undefined) return false;
    return (await this.#options.ingress.turnOf(eventIdOf(channel, thread), place)) !== undefined;
  }

  /** @returns Nothing where there are no words; then the person is told how to ask. */
  async #question(post: Post, hearer: Hearer): Promise<Question | undefined> {
    const { people, readers } = this.#options;
    const { team, botUserId, workspace } = hearer;
    const { channel, ts, thread_ts: thread = ts, user, text } = post;
    const plain = await people.plain(team, text, botUserId);
    const isInThread = post.thread_ts !== undefined && !isDirect(channel);
    const isAsked = isInThread || hasBeside(post);
    const written = plain === '' && isAsked ? wordlessQuestion : plain;
    if (written === '') {
      await this.#help(post, hearer);
      return undefined;
    }
    const [name, place, beside] = await Promise.all([
      people.nameOf(team, user),
      readers.placeOfScene({ team, channel, thread, userId: user }),
      // Its own text is the question already.
      hasBeside(post) &&
        heardIn({ ...post, text: '', blocks: undefined }, { team, channel }, people),
    ]);
    const person = { id: user, name, ...(workspace === undefined ? {} : { workspace }) };
    return questionIn(place, {
      eventId: eventIdOf(channel, ts),
      ...{ question: written, person, askedAt: momentOf(ts) },
      ...(isInThread && { hears: 'thread' as const }),
      ...(beside && { heard: heardAlone(beside, place.threadId, 'replies') }),
    });
  }

  async #help(post: Post, hearer: Hearer): Promise<void> {
    const { brake } = this.#options;
    if (!brake.take(post.user, post.channel)) return;
    await this.#run('help', post, hearer);
  }

  async #run(command: 'help' | 'stop', post: Post, { team }: Hearer): Promise<void> {
    const { ingress, people } = this.#options;
    const { channel, ts, thread_ts: thread = ts, user } = post;
    const person = await people.personIn({ team, channel, userId: user });
    const place = placeOf({ team, channel, thread });
    const reply = await ingress.command({ place, person, command, options: {} });
    await this.#answer(post, team).show(reply);
  }

  async #edited(post: Post, hearer: Hearer): Promise<void> {
    const { channel, ts, thread_ts: thread, text, edited } = post;
    await this.#heard.get(keyOf(hearer, post))?.catch(() => undefined);
    const answer = this.#answer(post, hearer.team);
    const offered: Action = {
      ...{ kind: 'again', ts, editedAt: edited?.ts ?? ts, text },
      ...(thread && { thread }),
    };
    const again = button(askAgainLabel, offered);
    await handleEdit(
      {
        said: this.#said(post, hearer),
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

  /** Asks a question as an edit has made it; pressed twice, it is one. Throws what Slack and the store throw. */
  async askAgain(
    { ts, thread, editedAt, text }: Extract<Action, { kind: 'again' }>,
    { channel, userId }: ChannelScene,
    hearer: Hearer,
  ): Promise<void> {
    const post = {
      channel,
      ts,
      user: userId,
      text,
      files: [],
      ...(thread && { thread_ts: thread }),
    };
    const question = await this.#question(post, hearer);
    if (!question) return;
    const editOf = question.eventId;
    const asked = await this.#options.ingress.ask({
      ...question,
      ...{ editOf, eventId: `${editOf}:${editedAt}`, askedAt: this.#options.now() },
    });
    const told = wordsFor(asked);
    if (told !== undefined) await this.#answer(post, hearer.team).say(told);
  }

  #isRecent({ ts }: Post): boolean {
    return this.#options.now() - momentOf(ts) < editAsksWithinMs;
  }

  async #deleted(
    { channel, ts, thread, turnId }: Extract<Heard, { kind: 'deleted' }>,
    hearer: Hearer,
  ): Promise<void> {
    const { ingress } = this.#options;
    await this.#heard.get(keyOf(hearer, { channel, ts }))?.catch(() => undefined);
    const { threadId } = placeOf({ team: hearer.team, channel, thread });
    const post = {
      ...{ eventId: eventIdOf(channel, ts), threadId, postedAt: momentOf(ts) },
      ...(turnId === undefined ? {} : { turnId }),
    };
    await ingress.deleted({ kind: 'posts', posts: [post] });
  }

  /** In the thread only where the person was in one. */
  #answer({ channel, thread_ts: thread, ts, user: userId }: Post, team: string): PrivateAnswer {
    const within = isDirect(channel) ? (thread ?? ts) : thread;
    const at = within === undefined ? {} : { thread: within };
    return answerIn(this.#options.api, { team, channel, userId, ...at });
  }
}

function keyOf({ team }: Hearer, { channel, ts }: Pick<Post, 'channel' | 'ts'>): string {
  return `${team} ${eventIdOf(channel, ts)}`;
}

function wordlessIf(isAbout: boolean): string {
  return isAbout ? wordlessQuestion : '';
}

/** Something came with it that can be asked about without a word. */
function hasBeside({ attachments, files }: Post): boolean {
  return attachmentWords(attachments) !== '' || files.length > 0;
}
