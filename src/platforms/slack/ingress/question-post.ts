/** The post of a question that is no message yet: made so that all can see it, found again, and taken back. */

import type { TurnRequest } from '../../../council/council.ts';
import type { Log } from '../../../domain/log.ts';
import { patientWaitsMs } from '../../chat/pacing/back-off.ts';
import { splitMarkdown } from '../../chat/text/split-markdown.ts';
import type { OpenedThread } from '../../platform.ts';
import { findMarked, type MessageBody, postOnce, type Spot } from '../api/messages.ts';
import { withRepetition, withRetryAfter } from '../api/patience.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { bold, markdownBlock, mostMarkdownChars, paragraphs, words } from '../presenter/blocks.ts';
import { questionPart } from '../presenter/turn-poster.ts';
import { isRefusal } from '../slack-error.ts';
import { inertSlackMarkdown } from '../slack-text.ts';
import { placeOf, readThreadId } from '../thread-id.ts';
import { eventIdOf } from './scene.ts';

const clocksDifferByMs = 300_000;

export class QuestionPosts {
  readonly #api: SlackApi;
  readonly #log: Log;

  constructor(api: SlackApi, log: Log) {
    this.#api = withRetryAfter(api);
    this.#log = log;
  }

  /**
   * Posts a question in its thread; where it has none, the thread opens on the post. Rejects as
   * {@link postOnce} does.
   */
  async post(question: TurnRequest): Promise<OpenedThread> {
    const body = announcement(question);
    const post = { ...body, mark: markOf(question) };
    // What was stored may wait: nobody has to ask it again.
    const ts = await postOnce(this.#api, spotOf(question), post, patientWaitsMs, () =>
      this.#seek(this.#api, question),
    );
    return threadOf(question, ts);
  }

  /** The same for a question that an earlier process has perhaps posted. */
  async postAgain(question: TurnRequest): Promise<OpenedThread> {
    const ts = await this.#find(question);
    return ts === undefined ? this.post(question) : threadOf(question, ts);
  }

  /** Nothing will come of it: a question without a turn would wait for ever. Rejects as the look for it does. */
  async withdraw(question: TurnRequest): Promise<void> {
    const ts = await this.#find(question);
    if (ts === undefined) return;
    const { team, channel } = spotOf(question);
    await this.#api.call(team, 'chat.delete', { channel, ts });
  }

  async #find(question: TurnRequest): Promise<string | undefined> {
    try {
      return await this.#seek(withRepetition(this.#api, patientWaitsMs), question);
    } catch (error) {
      if (!isRefusal(error, 'missing_scope')) throw error;
      const { turnId } = question;
      this.#log.warn(
        { turnId, error },
        'the channel can’t be read, so a question may be said twice',
      );
      return undefined;
    }
  }

  #seek(api: SlackApi, question: TurnRequest): Promise<string | undefined> {
    const since = `${Math.floor((question.askedAt - clocksDifferByMs) / 1000)}`;
    return findMarked(api, spotOf(question), markOf(question), since);
  }
}

function markOf({ turnId }: TurnRequest) {
  return { turnId, part: questionPart };
}

/** A question that has no thread yet has the id of what asked in its place. */
function spotOf({ threadId, eventId }: TurnRequest): Spot {
  const { team, channel, thread } = readThreadId(threadId);
  return { team, channel, ...(thread === eventId ? {} : { thread }) };
}

/** From then on the post stands for what asked, as a message of a person would. */
function threadOf(question: TurnRequest, ts: string): OpenedThread {
  const { team, channel, thread = ts } = spotOf(question);
  const { threadId } = placeOf({ team, channel, thread });
  return { threadId, eventId: eventIdOf(channel, ts) };
}

/** In a thread it is about the message that is there already. */
function announcement(asked: TurnRequest): MessageBody {
  const { question, author } = asked;
  if (spotOf(asked).thread !== undefined) {
    return {
      text: inertSlackMarkdown(`${author.name} asks the council about this message.`),
      blocks: [paragraphs([bold(author.name), words(' asks the council about this message.')])],
    };
  }
  const [piece = ''] = splitMarkdown(inertSlackMarkdown(question), mostMarkdownChars);
  return {
    text: inertSlackMarkdown(`${author.name} asks the council`),
    blocks: [
      paragraphs([bold(author.name), words(' asks the council:')]),
      ...(piece.trim() === '' ? [] : [markdownBlock(piece)]),
    ],
  };
}
