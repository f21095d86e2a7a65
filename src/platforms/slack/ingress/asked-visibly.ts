/** Questions that are no message yet, from `/council ask` and “Ask the council”: they are put where all can see them. */

import { randomUUID } from 'node:crypto';
import type { Depth } from '../../../council/council.ts';
import { AskedAtOnce, askedTooFast } from '../../asked-at-once.ts';
import type { Ingress } from '../../platform.ts';
import { inertSlackMarkdown } from '../../text/slack-text.ts';
import { splitMarkdown } from '../../text/split-markdown.ts';
import { takenWords } from '../../text/taken-words.ts';
import { findMarked, type MessageBody, postOnce } from '../api/messages.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { bold, markdownBlock, mostMarkdownChars, paragraphs, words } from '../presenter/blocks.ts';
import { isRefusal } from '../slack-error.ts';
import type { SlackLog } from '../slack-log.ts';
import { placeOf } from '../thread-id.ts';
import type { People } from './people.ts';
import type { PrivateAnswer } from './private-answers.ts';
import { type ChannelScene, eventIdOf, momentOf } from './scene.ts';

export interface VisibleQuestion {
  readonly text: string;
  readonly depth?: Depth;
  readonly sages?: readonly string[];
  /** It is a message that stands there already. */
  readonly isOnMessage: boolean;
}

export interface AskedVisiblyOptions {
  readonly ingress: Ingress;
  readonly api: SlackApi;
  readonly people: People;
  readonly log: SlackLog;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Somebody is waiting; and a question that stands there twice, or without a turn, is worse than none. */
const retryWaitsMs = [500, 2000, 8000];
const clocksDifferBySeconds = 300;

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
  readonly #atOnce = new AskedAtOnce();

  constructor(options: AskedVisiblyOptions) {
    this.#options = options;
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
    { text, depth, sages, isOnMessage }: VisibleQuestion,
    answer: PrivateAnswer,
  ): Promise<void> {
    const { ingress, api, people, now } = this.#options;
    const name = await people.nameOf(team, userId);
    const at = { team, channel, ...(thread === undefined ? {} : { thread }) };
    let ts: string;
    try {
      const mark = { turnId: randomUUID(), part: 'question' };
      const since = `${Math.floor(now() / 1000) - clocksDifferBySeconds}`;
      ts = await postOnce(
        api,
        at,
        { ...announcement(name, text, isOnMessage), mark },
        retryWaitsMs,
        (wanted) => findMarked(api, at, wanted, since),
      );
    } catch (error) {
      if (!isRefusal(error, ...closedPlaces)) throw error;
      return answer.say(notThereWords);
    }
    const place = placeOf({ team, channel, thread: thread ?? ts });
    const eventId = eventIdOf(channel, ts);
    const request = {
      ...{ threadId: place.threadId, eventId, question: text },
      author: { id: userId, name },
      askedAt: momentOf(ts),
      ...(depth ? { depth } : {}),
      ...(sages ? { sages } : {}),
    };
    const asked = await ingress.ask(request).catch(async (error: unknown) => {
      // What failed after the turn was stored goes on later, and then needs its thread.
      if (!(await ingress.turnOf(eventId, place))) await this.#withdraw(team, channel, ts);
      throw error;
    });
    if (asked.status === 'accepted') return answer.say(takenWords(asked.turnsBefore));
    // The refusal is nobody else's business, and a question without a turn would wait for ever.
    await this.#withdraw(team, channel, ts);
    await answer.say(asked.reason);
  }

  async #withdraw(team: string, channel: string, ts: string): Promise<void> {
    const { api, log } = this.#options;
    await api.call(team, 'chat.delete', { channel, ts }).catch((error: unknown) => {
      log.warn({ team, channel, error }, 'a question that was refused could not be taken back');
    });
  }
}

function announcement(name: string, question: string, isOnMessage: boolean): MessageBody {
  if (isOnMessage) {
    const text = `${name} asks the council about this message.`;
    return {
      text: inertSlackMarkdown(text),
      blocks: [paragraphs([bold(name), words(' asks the council about this message.')])],
    };
  }
  const [piece = ''] = splitMarkdown(inertSlackMarkdown(question), mostMarkdownChars);
  return {
    text: inertSlackMarkdown(`${name} asks the council`),
    blocks: [
      paragraphs([bold(name), words(' asks the council:')]),
      ...(piece.trim() === '' ? [] : [markdownBlock(piece)]),
    ],
  };
}
