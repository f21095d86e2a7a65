/** Goes deeper into a verdict, asks its sages again, asks its suggested questions, and posts it to the channel. */

import { CommandError } from '../../../commands/command.ts';
import { type CommandContext, noSuchTurn } from '../../../commands/context.ts';
import { type PastTurn, readPastTurn, type TurnStep } from '../../council/past-turn.ts';
import { hasDocket } from '../../domain/docket.ts';
import { type Followed, modelsIn, type Posted } from '../../domain/stored-turn.ts';
import { isRecorded } from '../../domain/thread-id.ts';
import type { Seat } from '../../domain/turn.ts';
import { listed, sageNamed } from '../../domain/words.ts';
import {
  type Asked,
  type ConcludedTurn,
  type Ingress,
  type Platform,
  type Question,
  questionIn,
  UnshowableError,
} from '../../platforms/platform.ts';
import { quotedValue } from '../../settings/channel-settings.ts';
import type { TurnRecord } from '../../store/store.ts';
import type { BotParts } from '../parts.ts';
import type { Here } from '../places/channels.ts';
import {
  existingTurn,
  firstAskedAt,
  lastTurns,
  placeOfTurn,
  turnIn,
} from '../places/turns-of-place.ts';
import { concludedTurn, platformOf } from '../running/presented-turn.ts';
import { assertMayManageTurn } from './rights.ts';

/** How long an attempt to post may take, in milliseconds. After that, its process counts as gone. */
const postingMs = 60_000;

interface Found {
  readonly record: TurnRecord;
  readonly past: PastTurn;
}

export function verdictVerbs(
  { place, person, channel }: Here,
  { store, platforms, log, now }: Pick<BotParts, 'store' | 'platforms' | 'log' | 'now'>,
  bot: Pick<Ingress, 'ask'>,
): Pick<CommandContext, 'deepen' | 'askAgain' | 'askNext' | 'post'> {
  const { turns } = store;

  async function findLive(turnId: string | undefined): Promise<Found> {
    const record = await existingTurn(turns, place, turnId);
    if (isRecorded(record.threadId)) {
      throw new CommandError(
        'This council was recorded. You can read it, but not ask it anything.',
      );
    }
    return { record, past: readPastTurn(record) };
  }

  /** Finds a turn. If it asked a sage again, returns the turn in which that sage was first asked. */
  async function find(turnId: string | undefined): Promise<Found> {
    const found = await findLive(turnId);
    const { follows } = found.past.request;
    const first = follows?.again && (await turnIn(turns, place, follows.turnId));
    return first ? { record: first, past: readPastTurn(first) } : found;
  }

  /** Finds a turn. Without an id, the last one of the thread that reached a verdict or a ranking, if any did. */
  async function findVerdict(turnId: string | undefined): Promise<Found> {
    const found = await find(turnId);
    const hasOne = ({ verdict, ranked }: PastTurn) => (verdict ?? ranked) !== undefined;
    if (turnId !== undefined || hasOne(found.past)) return found;
    const last = (await lastTurns(turns, place.threadId)).find(hasOne);
    return last ? find(last.request.turnId) : found;
  }

  /** The last attempt to go deeper into a turn, if all of them have ended without a round; else the turn. */
  async function lastAttempt(found: Found): Promise<Found & { readonly forgotten?: string }> {
    const { record, past } = found;
    const { deepenedBy, ...before } = past;
    if (deepenedBy === undefined) return found;
    const later = await turns.read({ turnId: deepenedBy, threadId: record.threadId });
    if (!later) return { record, past: before, forgotten: deepenedBy };
    if (later.status !== 'ended') return found;
    const attempt = { record: later, past: readPastTurn(later) };
    return hasDocket(attempt.past.round?.docket) ? found : lastAttempt(attempt);
  }

  /** What the question was asked with. A preset that was removed is left out. */
  function basisOf({ request: { preset, instructions }, heard }: PastTurn) {
    const isPresetThere = channel.presets.some(({ key }) => key === preset);
    return {
      ...(isPresetThere ? { preset } : {}),
      ...(instructions === undefined ? {} : { instructions }),
      ...(heard ? { heard } : {}),
    };
  }

  /** Asks in the turn's thread and notes the follow-up in the turn, even if a repeated command asked it before. */
  async function askFollowUp(
    { record, past }: Found,
    asks: Omit<Question, 'threadId' | 'author' | 'askedAt'>,
    how: Omit<Followed, 'turnId'>,
  ): Promise<Asked> {
    const where = placeOfTurn(past.request, place);
    const { language } = past.request;
    const given = { ...(language !== undefined && { language }), ...asks };
    const asked = await bot.ask(questionIn(where, { ...given, person, askedAt: now() }));
    if (asked.status !== 'accepted') return asked;
    const { turnId } = asked;
    const step: TurnStep = { kind: 'followed', key: turnId, data: { turnId, ...how } };
    if (await turns.remark(record, step)) await redraw(record);
    return asked;
  }

  /** How often a sage was asked again. Unfinished turns don't count, so that a repeated click asks nothing new. */
  async function timesAskedAgain({ record: { threadId }, past }: Found, sage: string) {
    const again = past.followed.filter((one) => one.sage === sage);
    const records = await Promise.all(again.map(({ turnId }) => turns.read({ turnId, threadId })));
    return records.filter((one) => one === undefined || one.status === 'ended').length;
  }

  /** Updates the shown verdict. Failures are only logged, because the action is stored. */
  async function redraw(record: TurnRecord): Promise<void> {
    try {
      const current = await turns.read(record);
      const turn = current && concludedTurn(readPastTurn(current));
      if (turn) await platformOf(record.threadId, platforms)?.redraw(turn);
    } catch (error) {
      log.warn({ turnId: record.turnId, error }, 'the buttons below a verdict are not up to date');
    }
  }

  async function postVerdict(turn: ConcludedTurn, platform: Platform): Promise<string> {
    const { turnId } = turn.request;
    const post = await platform.post(turn).catch((error: unknown) => {
      log.warn({ turnId, error }, 'a verdict could not be posted to the channel');
      const isRefused = error instanceof UnshowableError;
      const why = isRefused ? `: ${error.message}` : '. Try again in a minute.';
      throw new CommandError(`It could not be posted${why}`, { cause: error });
    });
    if (post === undefined) throw new CommandError(noChannelWords);
    return post;
  }

  return {
    async deepen(turnId) {
      const { record, past, forgotten } = await lastAttempt(await findVerdict(turnId));
      const { turnId: pressed, threadId } = record;
      const { question, deepens = pressed } = past.request;
      // A turn that deepens another goes on from the answers and reviews of that one.
      const first = deepens === pressed ? record : await turns.read({ turnId: deepens, threadId });
      const complaint = whyNotDeeper(past, first && readPastTurn(first));
      if (complaint !== undefined) throw new CommandError(complaint);
      // Repeated clicks are one event, which is asked once. That of a forgotten turn can't be asked again.
      const eventId = `deeper:${forgotten ?? pressed}`;
      const how = { eventId, depth: 'deep', deepens } as const;
      const where = placeOfTurn(past.request, place);
      const asks = { ...basisOf(past), ...how, question, person, askedAt: now() };
      const asked = await bot.ask(questionIn(where, asks));
      if (asked.status === 'accepted') {
        const step: TurnStep = { kind: 'deepened', key: '', data: { turnId: asked.turnId } };
        await turns.remark(record, step);
      }
      return asked;
    },

    async askAgain(named, { turnId, model }) {
      const found = await find(turnId);
      const { request, seated, verdict } = found.past;
      const seats = seated?.seats ?? [];
      const { sage, focus } = seatOf(named, seats);
      if (sage.source === 'dynamic' && channel.council.maxDynamicSages === 0) {
        throw new CommandError(`${sage.name} was invented, and no sages may be invented here now.`);
      }
      const { models: known } = channel.known;
      const models = modelsIn(seats, verdict).filter((one) => known.includes(one));
      if (model !== undefined && !models.includes(model)) {
        const others = models.length === 0 ? 'no other' : listed(models, undefined, 'or');
        throw new CommandError(
          `${quotedValue(model)} took no part in that turn. You can choose ${others}.`,
        );
      }
      const count = await timesAskedAgain(found, sage.key);
      const again = {
        name: sage.name,
        firstAskedAt: firstAskedAt(found.record, found.past),
        ...(focus === undefined ? {} : { focus }),
        ...(model === undefined ? {} : { model }),
      };
      return askFollowUp(
        found,
        {
          eventId: ['again', request.turnId, sage.key, model ?? '', count].join(':'),
          question: request.question,
          sages: [sage.key],
          ...(sage.source === 'dynamic' ? { guests: [sage] } : {}),
          ...basisOf(found.past),
          follows: { turnId: request.turnId, again },
          // Forgotten together with the message that asked first.
          editOf: request.editOf ?? request.eventId,
        },
        { sage: sage.key },
      );
    },

    async askNext(number, turnId) {
      const found = await findVerdict(turnId);
      const { request, verdict } = found.past;
      const question = verdict?.nextQuestions?.[number - 1];
      if (question === undefined) throw new CommandError('The verdict suggests no such question.');
      const { turnId: first, threadId } = request;
      const last = found.past.followed.findLast(({ suggestion }) => suggestion === number - 1);
      const isKept = !last || (await turns.read({ turnId: last.turnId, threadId }));
      // Repeated clicks are one event, which is asked once. That of a forgotten turn can't be asked again.
      const eventId = ['next', isKept ? first : last.turnId, number].join(':');
      const follows = { turnId: first };
      return askFollowUp(found, { eventId, question, follows }, { suggestion: number - 1 });
    },

    async post(turnId) {
      const { record, past } = await findVerdict(turnId);
      const { request, posted: before } = past;
      const turn = concludedTurn(past);
      const platform = platformOf(request.threadId, platforms);
      if (!turn) throw new CommandError('The council reached no verdict there.');
      assertMayManageTurn(person, request, 'post the verdict');
      if (request.isPrivateThread) {
        throw new CommandError(
          'Fewer people can read this thread than its channel, so it stays here.',
        );
      }
      if (!platform) throw new CommandError(noChannelWords);
      const begunAt = now();
      const known = before?.post;
      // Repeated presses are one attempt. After a post was deleted, another one begins.
      if (!(await store.claim(['posting', request.turnId, known ?? ''].join(':'), postingMs))) {
        throw new CommandError(
          known === undefined
            ? 'It has just been tried. If it isn’t there in a minute, try again.'
            : 'It’s in the channel already. If it was deleted, try again in a minute.',
        );
      }
      const note = (data: Posted) => turns.remark(record, { kind: 'posted', key: '', data });
      // Noted first, so that the post can be found after a crash.
      const begun = before ?? { at: begunAt };
      if (!(await note(begun))) throw noSuchTurn(request.turnId);
      // If this process was halted, another one may be posting.
      if (now() - begunAt > postingMs / 2) throw new CommandError('That took too long. Try again.');
      const post = await postVerdict(turn, platform);
      const posted = { at: known === undefined ? begun.at : begunAt, post };
      if (post !== known && !(await note(posted))) {
        await platform.unpost({ request, posted });
        throw noSuchTurn(request.turnId);
      }
      await redraw(record);
      if (post === known) throw new CommandError('It’s in the channel already.');
    },
  };
}

const noChannelWords = 'There is no channel besides this conversation to post it in.';

/** Why a turn can't be deepened, in words. `undefined`: it can. */
function whyNotDeeper(past: PastTurn, first: PastTurn | undefined): string | undefined {
  if (!past.ended) return 'That question has no verdict yet. Go deeper when it has.';
  if (past.deepenedBy !== undefined) return 'The council is going deeper into this already.';
  if (hasDocket(past.round?.docket)) return 'That verdict has gone as deep as it goes.';
  const given = first?.answers.filter(({ status }) => status === 'answered') ?? [];
  return given.length > 1 && first?.reviews.length
    ? undefined
    : 'To go deeper, a verdict needs answers that were reviewed. Ask with depth deep instead.';
}

/** @param named - A key or a name. */
function seatOf(named: string, seats: readonly Seat[]) {
  const seat = sageNamed(
    named,
    seats.map(({ sage, focus }) => ({ ...sage, sage, focus })),
  );
  if (seat) return seat;
  const names = seats.map(({ sage }) => sage.name);
  throw new CommandError(
    names.length === 0
      ? 'No sage sat in that turn.'
      : `${quotedValue(named)} didn’t sit in that turn. You can ask ${listed(names, undefined, 'or')} again.`,
  );
}
