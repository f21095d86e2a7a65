/** Posts questions from `/council ask` and “Ask the council”, which are not messages yet, for everybody to see. */

import type { Choice } from '../../../domain/asking.ts';
import type { TurnRequest } from '../../../domain/turn.ts';
import { askShown, wordsFor } from '../../chat/asking/shown-questions.ts';
import { patientWaitsMs } from '../../chat/pacing/back-off.ts';
import { SetupError, UnansweredError } from '../../chat/pacing/platform-error.ts';
import { splitMarkdown } from '../../chat/text/split-markdown.ts';
import { type OpenedThread, type OpenThread, questionIn } from '../../platform.ts';
import { findMarked, type MessageBody, postOnce, type Spot } from '../api/messages.ts';
import { withRetries } from '../api/patience.ts';
import { type ChannelScene, eventIdOf, isDirect, placeOf, readThreadId } from '../place.ts';
import {
  markdownBlock,
  maxMarkdownChars,
  mention,
  paragraphs,
  words,
} from '../presenter/blocks.ts';
import { questionPart, sinceAsked } from '../presenter/turn-poster.ts';
import {
  failureWords,
  isRefusal,
  isTemporary,
  notMemberCodes,
  SlackRefusal,
} from '../slack-error.ts';
import { inertSlackMarkdown } from '../slack-text.ts';
import { answerIn, type PrivateAnswer } from './answers.ts';
import type { IngressContext } from './readers.ts';

export interface VisibleQuestion extends Pick<TurnRequest, 'hears' | 'heard' | 'repliesTo'> {
  readonly question: string;
  /** Id of the command or shortcut: redelivered, it is the same question. */
  readonly eventId: string;
  readonly choice?: Choice;
}

const betweenOthersWords =
  'I can’t join a direct message between two people. Ask in a channel, or in a direct message with me.';

export type VisibleQuestions = ReturnType<typeof visibleQuestions>;

export function visibleQuestions(
  options: Pick<IngressContext, 'ingress' | 'api' | 'people' | 'readers' | 'log' | 'now'>,
) {
  const { api, people, readers, log, now } = options;

  /**
   * Asks a question. Throws what the store throws.
   *
   * @param scene - With a thread, the question is posted in it; otherwise its post opens one.
   * @param answer - Informs the person of the outcome.
   */
  async function ask(
    scene: ChannelScene,
    { choice = {}, ...asked }: VisibleQuestion,
    answer: PrivateAnswer,
  ): Promise<void> {
    const { team, userId: id, workspace, thread = asked.eventId } = scene;
    const [name, place] = await Promise.all([
      people.nameOf(team, id),
      readers.placeOfScene({ ...scene, thread }),
    ]);
    const person = { id, name, ...(workspace === undefined ? {} : { workspace }) };
    const request = questionIn(place, { ...asked, person, askedAt: now(), ...choice });
    const outcome = wordsFor(await askShown(request, (kept) => open(kept), options));
    if (outcome === undefined) return;
    // A failure told now would be taken for one of the question, which would be asked and paid for again.
    await answer.say(outcome).catch((error: unknown) => {
      log.warn({ team, error }, 'a person could not be told what became of a question');
    });
  }

  /** Finds the post of a question that an earlier process stored, or posts it. Throws what Slack throws. */
  const openAgain: OpenThread = (kept) => open(kept, () => find(kept));

  /** Deletes the post of such a question and says why to its author. Throws what Slack throws. */
  async function refuseAgain(question: TurnRequest, reason: string): Promise<void> {
    const spot = spotOf(question);
    const ts = await find(question);
    // A posted question without a turn would never be answered; only its author needs to know why.
    if (ts !== undefined) await api.call(spot.team, 'chat.delete', { channel: spot.channel, ts });
    await answerIn(api, { ...spot, userId: question.author.id }).say(reason);
  }

  /**
   * Posts a question in its thread; without one, the post opens a thread. Throws what Slack throws if the
   * post may exist.
   *
   * @param lookFirst - Finds an existing post of it.
   */
  async function open(
    question: TurnRequest,
    lookFirst?: () => Promise<string | undefined>,
  ): Promise<OpenedThread | { readonly whyNot: string }> {
    const spot = spotOf(question);
    const post = { ...announcement(question), mark: markOf(question) };
    try {
      const ts =
        (await lookFirst?.()) ??
        // Patiently, because the question is stored.
        (await postOnce(api, spot, post, patientWaitsMs, () => find(question)));
      const { team, channel, thread = ts } = spot;
      // From now on the post's event id identifies the question, as if a person had written it.
      const { threadId } = placeOf({ team, channel, thread });
      return { threadId, eventId: eventIdOf(channel, ts) };
    } catch (error) {
      // The post may exist, and then needs its turn.
      if (error instanceof UnansweredError) throw error;
      // A question of an earlier process can be retried later.
      if (lookFirst && (isTemporary(error) || error instanceof SetupError)) throw error;
      const isClosed = error instanceof SlackRefusal && error.closesPlace;
      if (!isClosed)
        log.error({ turnId: question.turnId, error }, 'a question could not be posted');
      const isBetweenOthers = isDirect(spot.channel) && isRefusal(error, ...notMemberCodes);
      return { whyNot: isBetweenOthers ? betweenOthersWords : failureWords(error) };
    }
  }

  /** @returns `undefined` also if the app may not read the conversation. */
  async function find(question: TurnRequest): Promise<string | undefined> {
    const patient = withRetries(api, patientWaitsMs);
    const since = sinceAsked(question.askedAt);
    try {
      return await findMarked(patient, spotOf(question), markOf(question), since);
    } catch (error) {
      if (!isRefusal(error, 'missing_scope')) throw error;
      const { turnId } = question;
      log.warn({ turnId, error }, 'the channel can’t be read, so a question may be posted twice');
      return undefined;
    }
  }

  return { ask, openAgain, refuseAgain };
}

function markOf({ turnId }: TurnRequest) {
  return { turnId, part: questionPart };
}

/** A question without a thread has its event's id in place of the thread. */
function spotOf({ threadId, eventId }: TurnRequest): Spot {
  const { team, channel, thread } = readThreadId(threadId);
  return { team, channel, ...(thread === eventId ? {} : { thread }) };
}

/** Mentions the person who asked, so Slack lists the thread among theirs. Omits a question that is their own message above. */
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
