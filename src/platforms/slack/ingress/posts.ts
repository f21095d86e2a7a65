/** Questions that are simply said: by mention, in a direct message, in a thread of the council. */

import type { Place } from '../../../../commands/command.ts';
import type { RefusalBrake } from '../../chat/asking/refusal-brake.ts';
import { takenWords } from '../../chat/text/taken-words.ts';
import type { Asked, Ingress, Remark } from '../../platform.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { placeOf } from '../thread-id.ts';
import { type Heard, type OwnIds, type Post, readHeard } from './heard.ts';
import { OneAtOnce } from './one-at-once.ts';
import type { People } from './people.ts';
import { answerIn, type PrivateAnswer } from './private-answers.ts';
import {
  mentions,
  mentionsOthers,
  peopleIn,
  plainQuestion,
  withoutMentionOf,
} from './question-text.ts';
import type { Readers } from './readers.ts';
import { eventIdOf, isDirect, momentOf } from './scene.ts';

export interface PostsOptions {
  readonly ingress: Ingress;
  readonly api: SlackApi;
  readonly people: People;
  readonly readers: Readers;
  readonly brake: RefusalBrake;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Whose workspace it is told in, and who the bot is there. */
export interface Hearer extends OwnIds {
  readonly team: string;
}

/** An edit makes a question of a post that was none for so long; nobody expects an answer to an old one. */
const editAsksWithinMs = 600_000;

const editedWords =
  'The council has taken this question up as it was before. To have it answer the new one, press Stop or delete the message, and ask again.';
const onlyFilesWords =
  'I can’t read files. Write what the council should think about, with the part of the file that matters.';

export class Posts {
  readonly #options: PostsOptions;
  /** By post: it is told once as a mention and once as a message, and perhaps again. */
  readonly #heard = new OneAtOnce();

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
        if (post.editedAt !== undefined && !this.#isRecent(post)) return;
        return this.#heard.do(keyOf(hearer, post), () => this.#posted(post, hearer));
      }
      case 'edited': {
        const key = `${keyOf(hearer, heard.post)} ${heard.post.editedAt}`;
        return this.#heard.do(key, () => this.#edited(heard, hearer));
      }
      case 'deleted':
        return this.#deleted(heard, hearer);
    }
  }

  async #posted(post: Post, hearer: Hearer): Promise<void> {
    const { ingress } = this.#options;
    const { channel, thread, ts, text } = post;
    const namesCouncil = mentions(text, hearer.botUserId);
    const isAlone = isDirect(channel);
    const place = placeOf({ team: hearer.team, channel, thread: thread ?? ts });
    const remark: Remark = {
      text: withoutMentionOf(text, hearer.botUserId),
      where: isAlone ? 'direct message' : thread === undefined ? 'elsewhere' : 'thread',
      namesCouncil,
      isForOthers: mentionsOthers(text, hearer.botUserId),
    };
    if (!(await ingress.isMeant(remark, place))) return;
    const isAddressed = namesCouncil || isAlone;
    if (isAddressed || (await this.#isInCouncilThread(post, place))) {
      await this.#ask(post, hearer, isAddressed);
    }
  }

  /** In a thread that began with a question to the council. */
  async #isInCouncilThread({ channel, thread }: Post, place: Place): Promise<boolean> {
    if (thread === undefined) return false;
    return (await this.#options.ingress.turnOf(eventIdOf(channel, thread), place)) !== undefined;
  }

  async #ask(post: Post, hearer: Hearer, isAddressed: boolean): Promise<void> {
    const { ingress, people, readers } = this.#options;
    const { team, botUserId } = hearer;
    const { channel, ts, userId, text, files } = post;
    const names = await people.namesOf(team, peopleIn(text, botUserId));
    const written = plainQuestion(text, botUserId, names);
    if (written === '') return this.#help(post, hearer);
    const question = files.length === 0 ? written : `${written}\n\n${filesNote(files)}`;
    const { threadId } = placeOf({ team, channel, thread: post.thread ?? ts });
    const [name, seenBy] = await Promise.all([
      people.nameOf(team, userId),
      readers.of({ team, channel }),
    ]);
    const asked = await ingress.ask({
      ...{ threadId, question, ...seenBy },
      eventId: eventIdOf(channel, ts),
      author: { id: userId, name },
      askedAt: momentOf(ts),
    });
    if (asked.status === 'refused') await this.#refuse(post, team, { ...asked, isAddressed });
    else if (asked.status === 'accepted' && asked.isNew && asked.turnsBefore > 0) {
      await this.#answer(post, team).say(takenWords(asked.turnsBefore));
    }
  }

  async #help(post: Post, { team }: Hearer): Promise<void> {
    const { ingress, people, brake } = this.#options;
    const { channel, thread, ts, userId, files } = post;
    if (!brake.take(userId, channel)) return;
    const answer = this.#answer(post, team);
    if (files.length > 0) return answer.say(onlyFilesWords);
    const person = await people.personIn({ team, channel, userId });
    const place = placeOf({ team, channel, thread: thread ?? ts });
    await answer.show(await ingress.command({ place, person, command: 'help', options: {} }));
  }

  async #refuse(
    post: Post,
    team: string,
    {
      reason,
      isStranger,
      isAddressed,
    }: Extract<Asked, { status: 'refused' }> & { readonly isAddressed: boolean },
  ): Promise<void> {
    const { brake } = this.#options;
    const { userId, channel } = post;
    const mayTell = isStranger
      ? isAddressed && brake.takeStranger(`${userId} ${channel}`)
      : brake.take(userId, channel);
    if (mayTell) await this.#answer(post, team).say(reason);
  }

  async #edited({ post, previousText }: Extract<Heard, { kind: 'edited' }>, hearer: Hearer) {
    const { ingress } = this.#options;
    const { channel, ts, thread, text } = post;
    await this.#heard.settled(keyOf(hearer, post));
    const place = placeOf({ team: hearer.team, channel, thread: thread ?? ts });
    const turn = await ingress.turnOf(eventIdOf(channel, ts), place);
    if (turn) {
      const isSame = words(text, hearer) === words(previousText, hearer);
      if (!turn.hasEnded && !isSame) await this.#answer(post, hearer.team).say(editedWords);
      return;
    }
    if (this.#isRecent(post)) await this.#posted(post, hearer);
  }

  #isRecent({ ts }: Post): boolean {
    return this.#options.now() - momentOf(ts) < editAsksWithinMs;
  }

  async #deleted(
    { channel, ts, thread, turnId }: Extract<Heard, { kind: 'deleted' }>,
    hearer: Hearer,
  ): Promise<void> {
    const { ingress } = this.#options;
    await this.#heard.settled(keyOf(hearer, { channel, ts }));
    const { threadId } = placeOf({ team: hearer.team, channel, thread });
    const post = {
      ...{ eventId: eventIdOf(channel, ts), threadId, postedAt: momentOf(ts) },
      ...(turnId === undefined ? {} : { turnId }),
    };
    await ingress.deleted({ kind: 'posts', posts: [post] });
  }

  /** In the thread only where the person was in one. */
  #answer({ channel, thread, ts, userId }: Post, team: string): PrivateAnswer {
    const within = isDirect(channel) ? (thread ?? ts) : thread;
    const at = within === undefined ? {} : { thread: within };
    return answerIn(this.#options.api, { team, channel, userId, ...at });
  }
}

function keyOf({ team }: Hearer, { channel, ts }: Pick<Post, 'channel' | 'ts'>): string {
  return `${team} ${eventIdOf(channel, ts)}`;
}

/** What is asked, whoever it is asked of. */
function words(text: string, { botUserId }: Hearer): string {
  return plainQuestion(text, botUserId, new Map()).replace(/\s+/g, ' ');
}

function filesNote(files: readonly string[]): string {
  const what = files.length === 1 ? 'a file' : `${files.length} files`;
  return `(With it came ${what} that the council can’t read: ${files.join(', ')}.)`;
}
