/** Questions in messages: by mention, in direct messages, in the council's threads. */

import { LRUCache } from 'lru-cache';
import type { Place } from '../../../../commands/command.ts';
import { unheardMessage } from '../../chat/asking/asking-words.ts';
import {
  askAgainLabel,
  askAgainYourself,
  askSaid,
  editAsksWithinMs,
  editedWords,
  handleEdit,
  type SaidMessage,
} from '../../chat/asking/said-questions.ts';
import { wordsFor } from '../../chat/asking/shown-questions.ts';
import { heardAlone, wordlessQuestion } from '../../chat/surroundings.ts';
import { ownMention, withoutOwnMentions } from '../../chat/text/own-mentions.ts';
import { type Question, questionIn } from '../../platform.ts';
import type { Action } from '../action-id.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { type ChannelScene, eventIdOf, isDirect, momentOf, placeOf } from '../place.ts';
import { button, buttonRow, paragraphs, words } from '../presenter/blocks.ts';
import { mentions, mentionsOthers, unescaped, withoutMentionOf } from '../slack-text.ts';
import { toHeardMessage } from '../surroundings/hear.ts';
import {
  attachmentWords,
  type BotIds,
  isSpoken,
  type MessageChange,
  type Post,
} from '../surroundings/said-message.ts';
import { answerIn, type PrivateAnswer } from './answers.ts';
import { lastPlace } from './commands.ts';
import type { IngressContext } from './readers.ts';

/** The workspace of an event, and the bot's ids there. */
export interface EventContext extends BotIds {
  readonly team: string;
  /** The person's workspace, if it differs. */
  readonly workspace?: string;
}

/** Older posts are found in the store if they made a turn. */
const maxRemembered = 2000;

export type Posts = ReturnType<typeof postsOf>;

/** Handles posts, edits and deletions of messages. All throw what Slack and the store throw. */
export function postsOf(options: IngressContext) {
  const { ingress, people, readers, api, brake, now, withEvents } = options;
  /** By post: Slack may send one as a mention and as a message, and redeliver both. */
  const handled = new LRUCache<string, Promise<void>>({ max: maxRemembered });

  async function handle(change: MessageChange | undefined, context: EventContext): Promise<void> {
    switch (change?.kind) {
      case 'posted': {
        const { post } = change;
        const isRecent = now() - momentOf(post.ts) < editAsksWithinMs;
        // Slack sends `app_mention` again for every edit of the message.
        if (post.edited && !isRecent) return;
        return once(keyOf(context, post), () => askSaid(saidIn(post, context), options));
      }
      case 'edited': {
        const key = `${keyOf(context, change.post)} ${change.post.edited?.ts}`;
        return once(key, () => edited(change.post, context));
      }
      case 'deleted':
        return deleted(change, context);
    }
  }

  /**
   * Handles an event once, however often it is delivered: a second delivery waits for the first and throws
   * as it does. After a failure, it may be delivered again.
   */
  async function once(key: string, work: () => Promise<void>): Promise<void> {
    const known = handled.get(key);
    if (known) return known;
    const handling = work();
    handled.set(key, handling);
    try {
      await handling;
    } catch (error) {
      if (handled.get(key) === handling) handled.delete(key);
      throw error;
    }
  }

  function saidIn(post: Post, context: EventContext): SaidMessage {
    const { channel, thread_ts: thread, ts, user, text } = post;
    const namesCouncil = mentions(text, context.botUserId);
    const isAlone = isDirect(channel);
    const place = placeOf({ team: context.team, channel, thread: thread ?? ts });
    const marked = unescaped(withoutMentionOf(text, context.botUserId, ownMention));
    const written = marked.replaceAll(ownMention, ' ').trim();
    return {
      remark: {
        // What people share in a thread without a word is for each other.
        text: written || (hasAttached(post) && (namesCouncil || isAlone) ? wordlessQuestion : ''),
        before: withoutOwnMentions(marked).before,
        where: isAlone ? 'direct message' : thread === undefined ? 'elsewhere' : 'thread',
        namesCouncil,
        isForOthers: mentionsOthers(text, context.botUserId),
      },
      place,
      author: { id: user },
      channelId: channel,
      question: async () => {
        const isForCouncil = namesCouncil || isAlone || (await isInCouncilThread(post, place));
        return isForCouncil ? readQuestion(post, context) : undefined;
      },
      run: (command) => run(command, post, context),
      answeredTo: 'author',
      reply: (sentence) => reply(sentence, post, place, context),
    };
  }

  async function reply(sentence: string, post: Post, place: Place, { team }: EventContext) {
    if (await mayReply(post, place)) await answerToPost(api, team, post).say(sentence);
  }

  /** A mention comes as two events, which may reach two processes. */
  function mayReply({ channel, ts, edited: edit }: Post, { threadId }: Place): Promise<boolean> {
    return ingress.mayReply({ threadId, eventId: `${eventIdOf(channel, ts)} ${edit?.ts ?? ''}` });
  }

  /** Whether a post is in a thread that began with a question to the council. */
  async function isInCouncilThread({ channel, thread_ts: thread }: Post, place: Place) {
    if (thread === undefined) return false;
    return (await ingress.turnOf(eventIdOf(channel, thread), place)) !== undefined;
  }

  /**
   * @param hasMore - Whether attachments or files came with it.
   * @returns `undefined` for a post without anything, or a spoken one; its author is then shown how to ask.
   */
  async function readQuestion(
    post: Post,
    context: EventContext,
    hasMore = hasAttached(post),
  ): Promise<Question | undefined> {
    const { team, botUserId, workspace } = context;
    const { channel, ts, thread_ts: thread = ts, user, text } = post;
    const plain = await people.plain(team, text, botUserId);
    const isInThread = post.thread_ts !== undefined && !isDirect(channel);
    const isAsked = isInThread || hasMore;
    const written = plain === '' && isAsked ? wordlessQuestion : plain;
    const isUnheard = plain === '' && isSpoken(post);
    if (written === '' || isUnheard) {
      if (!brake.take(user, channel)) return undefined;
      if (isUnheard) await reply(unheardMessage, post, placeOf({ team, channel, thread }), context);
      else await run('help', post, context);
      return undefined;
    }
    const home = workspace === undefined ? {} : { workspace };
    const [name, place, attached] = await Promise.all([
      people.nameOf(team, user),
      readers.placeOfScene({ team, channel, thread, userId: user, ...home }),
      // Without its own text, which is the question.
      hasAttached(post) &&
        toHeardMessage(
          { ...post, text: '', blocks: undefined },
          { team, channel },
          { people, botId: context.botId },
        ),
    ]);
    const person = { id: user, name, ...home };
    const asked = questionIn(place, {
      eventId: eventIdOf(channel, ts),
      question: written,
      person,
      askedAt: momentOf(ts),
      ...(isInThread && { hears: 'thread' as const }),
      ...(attached && { heard: heardAlone(attached, place.threadId, 'replies') }),
    });
    return isInThread ? withEvents(asked, context.botId) : asked;
  }

  /** Runs a command for the author of a post, where it was posted. */
  async function run(command: 'help' | 'stop', post: Post, { team }: Pick<EventContext, 'team'>) {
    const { channel, ts, thread_ts: thread, user } = post;
    const scene = { team, channel, userId: user };
    const place =
      thread === undefined && command === 'stop' && isDirect(channel)
        ? await lastPlace(scene, true, options)
        : placeOf({ team, channel, thread: thread ?? ts });
    const person = await people.personIn(scene);
    const invocation = { place, person, command, options: {}, saidAt: momentOf(ts) };
    const reply = await ingress.command(invocation);
    // Last: if this process ends before, the other event of the mention must still stop the turn.
    if (await mayReply(post, place)) await answerToPost(api, team, post).show(reply);
  }

  async function edited(post: Post, context: EventContext): Promise<void> {
    const { channel, ts, thread_ts: thread, text, edited: edit } = post;
    await handled.get(keyOf(context, post))?.catch(() => undefined);
    const answer = answerToPost(api, context.team, post);
    const again = button(askAgainLabel, {
      kind: 'again',
      ts,
      editedAt: edit?.ts ?? ts,
      text,
      ...(thread && { thread }),
      ...(hasAttached(post) && { hasAttached: true as const }),
    });
    const offer = async () => {
      if (!again) return answer.say(askAgainYourself);
      const blocks = [paragraphs([words(editedWords)]), ...buttonRow([again])];
      return answer.send({ text: editedWords, blocks });
    };
    const said = saidIn(post, context);
    const ageMs = now() - momentOf(ts);
    await handleEdit({ said, eventId: eventIdOf(channel, ts), ageMs, offer }, options);
  }

  /** Asks an edited question; pressing the button twice asks once. */
  async function askAgain(
    { ts, thread, editedAt, text, hasAttached: hasMore }: Extract<Action, { kind: 'again' }>,
    { channel, userId: user }: ChannelScene,
    context: EventContext,
  ): Promise<void> {
    const post = { channel, ts, user, text, files: [], ...(thread && { thread_ts: thread }) };
    const question = await readQuestion(post, context, hasMore);
    if (!question) return;
    const editOf = question.eventId;
    const asked = await ingress.ask({
      ...question,
      editOf,
      eventId: `${editOf}:${editedAt}`,
      askedAt: now(),
      // The message itself is then read, with its files.
      ...(hasMore && { hears: 'thread' as const }),
    });
    const outcome = wordsFor(asked);
    if (outcome !== undefined) await answerToPost(api, context.team, post).say(outcome);
  }

  async function deleted(
    { channel, ts, thread, turnId }: Extract<MessageChange, { kind: 'deleted' }>,
    context: EventContext,
  ): Promise<void> {
    await handled.get(keyOf(context, { channel, ts }))?.catch(() => undefined);
    const { threadId } = placeOf({ team: context.team, channel, thread });
    const post = {
      eventId: eventIdOf(channel, ts),
      threadId,
      postedAt: momentOf(ts),
      ...(turnId === undefined ? {} : { turnId }),
    };
    await ingress.deleted({ kind: 'posts', posts: [post] });
  }

  return { handle, askAgain, run };
}

/** Answers an author; in a channel in the thread only if the person wrote in one. */
export function answerToPost(
  api: SlackApi,
  team: string,
  {
    channel,
    thread_ts: thread,
    ts,
    user: userId,
  }: Pick<Post, 'channel' | 'thread_ts' | 'ts' | 'user'>,
): PrivateAnswer {
  const within = isDirect(channel) ? (thread ?? ts) : thread;
  return answerIn(api, { team, channel, userId, ...(within !== undefined && { thread: within }) });
}

function keyOf({ team }: EventContext, { channel, ts }: Pick<Post, 'channel' | 'ts'>): string {
  return `${team} ${eventIdOf(channel, ts)}`;
}

/** Whether a post has attachments or files, which can be a question without words. */
function hasAttached({ attachments, files }: Post): boolean {
  return attachmentWords(attachments) !== '' || files.length > 0;
}
