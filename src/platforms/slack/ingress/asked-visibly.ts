/** Questions that are no message yet, from `/council ask` and “Ask the council”: they are put where all can see them. */

import type { Depth } from '../../../council/council.ts';
import { AskedAtOnce, askedTooFast } from '../../asked-at-once.ts';
import type { Ingress } from '../../platform.ts';
import { inertSlackMarkdown } from '../../text/slack-text.ts';
import { splitMarkdown } from '../../text/split-markdown.ts';
import { takenWords } from '../../text/taken-words.ts';
import { type MessageBody, post } from '../api/messages.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { bold, markdownBlock, mostMarkdownChars, paragraphs, words } from '../presenter/blocks.ts';
import { isRefusal } from '../slack-error.ts';
import type { SlackLog } from '../slack-log.ts';
import { placeOf } from '../thread-id.ts';
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
  readonly log: SlackLog;
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
  readonly #atOnce = new AskedAtOnce();

  constructor(options: AskedVisiblyOptions) {
    this.#options = options;
  }

  /**
   * @param scene - With a thread, the question is said in it; else the thread opens on it.
   * @param name - Of the person.
   * @param answer - Where the person is told what became of it. Throws what it and the store throw.
   */
  async ask(
    scene: ChannelScene,
    name: string,
    question: VisibleQuestion,
    answer: PrivateAnswer,
  ): Promise<void> {
    const isTaken = await this.#atOnce.within(scene.userId, () =>
      this.#take(scene, name, question, answer),
    );
    if (!isTaken) await answer.say(askedTooFast);
  }

  async #take(
    { team, channel, thread, userId }: ChannelScene,
    name: string,
    { text, depth, sages, isOnMessage }: VisibleQuestion,
    answer: PrivateAnswer,
  ): Promise<void> {
    const { ingress, api } = this.#options;
    const at = { team, channel, ...(thread === undefined ? {} : { thread }) };
    let ts: string;
    try {
      ts = await post(api, at, announcement(name, text, isOnMessage));
    } catch (error) {
      if (!isRefusal(error, ...closedPlaces)) throw error;
      return answer.say(notThereWords);
    }
    const { threadId } = placeOf({ team, channel, thread: thread ?? ts });
    const asked = await ingress.ask({
      ...{ threadId, question: text },
      eventId: eventIdOf(channel, ts),
      author: { id: userId, name },
      askedAt: momentOf(ts),
      ...(depth ? { depth } : {}),
      ...(sages ? { sages } : {}),
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
