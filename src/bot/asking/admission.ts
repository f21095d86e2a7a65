/** Checks whether a question may become a turn: its text, its sages, the limits and its cost. */

import { addressedSage, addressesAnyone } from '../../council/addressing.ts';
import { type Council, deepestFor, moderatorChoosesDepth } from '../../council/council.ts';
import { type PlannedCalls, planCall, planTurn } from '../../council/estimate.ts';
import { type Depth, depths } from '../../domain/asking.ts';
import { type ReadingLimits, sourcesIn } from '../../domain/heard.ts';
import { partsOf } from '../../domain/thread-id.ts';
import type { TurnRequest } from '../../domain/turn.ts';
import { listed } from '../../domain/words.ts';
import { Notes, type StoredSettings } from '../../store/store.ts';
import {
  NoModelError,
  openingClaims,
  payerFor,
  RefusedError,
  thisQuestion,
} from '../money/budgets.ts';
import type { TurnModels } from '../money/money.ts';
import type { Reservation } from '../money/reservation.ts';
import type { BotParts } from '../parts.ts';
import { type Channel, channelFor, channelWithPreset, readChannel } from '../places/channels.ts';
import { guestsIn, lastTurns, recentScope, withQuestion } from '../places/turns-of-place.ts';
import { whoWouldSit } from './likely-seats.ts';

/** A question that passed all checks. */
export interface Admitted {
  /** With the addressed sage, if the question starts with its name. */
  readonly request: TurnRequest;
  /** The reserved money and the slots among the open questions and those of the hour. */
  readonly reservation: Reservation;
  /** Adds the question to the person's latest ones. Call it once the turn is stored. */
  addToRecent(question: TurnRequest): Promise<void>;
}

export class Admission {
  readonly #options: BotParts;

  constructor(options: BotParts) {
    this.#options = options;
  }

  /**
   * Checks a question against the limits and the settings of its channel.
   *
   * @throws {RefusedError}
   */
  async admit(asked: TurnRequest): Promise<Admitted> {
    const { money, limits } = this.#options;
    const { threadId, turnId, author } = asked;
    refuseIf(questionProblem(asked, limits));
    const recent = recentScope(partsOf(threadId), author.id);
    const asker = payerFor(author, threadId);
    // In parallel, because the store may be far away.
    const [{ channel: base, extra }, used] = await Promise.all([
      readChannel(this.#options, threadId, [recent]),
      money.usedBy(asker),
    ]);
    const channel = channelFor(asked, this.#withPreset(asked, base));
    const request = await this.#withSages(asked, channel);
    const known = [...channel.council.bench, ...(request.guests ?? [])];
    refuseIf(sagesProblem(request.sages, known));
    const reserve = (depth: Depth) => {
      const estimate = {
        what: thisQuestion,
        calls: (models: TurnModels) => this.#plan(request, channel, models, depth),
      };
      return money.reserve({ ...asker, settings: channel.settings }, estimate, used, {
        ...{ holder: turnId, claims: openingClaims(asked, limits) },
      });
    };
    const { reservation, depth } = await reserveAffordable(request, channel.council, reserve).catch(
      async (error: unknown) => {
        // Without a model there is no council, but people can see who would have sat.
        if (!(error instanceof NoModelError)) throw error;
        throw new NoModelError(
          `${error.message}\n\n${await whoWouldSit(request, channel.council)}`,
        );
      },
    );
    const isOpen = moderatorChoosesDepth(request, channel.council.depth);
    return {
      ...{ request: isOpen ? { ...request, depthUpTo: depth } : request, reservation },
      addToRecent: (question) => this.#addToRecent(question, recent, extra[0] ?? {}),
    };
  }

  #withPreset({ preset }: TurnRequest, base: Channel): Channel {
    if (preset === undefined) return base;
    const channel = channelWithPreset(this.#options, base, preset);
    if (channel) return channel;
    const known = base.presets.map(({ key }) => key);
    const there = known.length === 0 ? 'There are none here yet.' : `There are: ${listed(known)}.`;
    throw new RefusedError(`There is no preset “${preset}” here. ${there}`);
  }

  async #addToRecent(request: TurnRequest, scope: string, kept: StoredSettings): Promise<void> {
    const { store, now } = this.#options;
    const notes = new Notes(store.settings, scope, { now });
    await notes.put(withQuestion(kept, request.turnId, request.threadId));
  }

  /** Finds the addressed sages on the bench and among the thread's guests, which earlier turns invented. */
  async #withSages(asked: TurnRequest, { council }: Channel): Promise<TurnRequest> {
    const { bench, maxDynamicSages } = council;
    const { sages, question, threadId } = asked;
    const onBench = sages ? undefined : addressedSage(question, bench);
    if (onBench) return { ...asked, sages: [onBench.key] };
    const mayNameGuest = sages
      ? sages.some((key) => bench.every((sage) => sage.key !== key))
      : addressesAnyone(question);
    // Where no sages may be invented, earlier ones can't be asked again either.
    if (!mayNameGuest || maxDynamicSages === 0) return asked;
    const all = guestsIn(await lastTurns(this.#options.store.turns, threadId));
    const addressed = sages ? undefined : addressedSage(question, all);
    const wanted = addressed ? [addressed.key] : sages;
    const guests = all.filter(({ key }) => wanted?.includes(key));
    return wanted && guests.length > 0 ? { ...asked, sages: wanted, guests } : asked;
  }

  #plan(
    request: TurnRequest,
    { council, settings }: Channel,
    models: TurnModels,
    depth: Depth,
  ): readonly PlannedCalls[] {
    const { limits } = this.#options.memory;
    const isRecalling = settings.memory && limits.interactions > 0;
    const questionChars = request.question.length;
    const { embedder } = models;
    return [
      ...planTurn(council, models, {
        questionChars,
        depth,
        sages: request.sages,
        isSeated: request.convened?.seated !== undefined,
        isReviewed: request.deepens !== undefined,
        contextTokens: isRecalling ? limits.budgetTokens : 0,
        heardChars: heardCharsOf(request, settings, this.#options.hearing),
      }),
      ...(isRecalling && embedder ? [planCall('embedding', embedder.id, questionChars)] : []),
    ];
  }
}

/**
 * Reserves what a question may cost. If the moderator chooses the depth, the budget bounds it. Throws the
 * last error of `reserve`.
 */
async function reserveAffordable(
  request: TurnRequest,
  { depth: ofChannel }: Council,
  reserve: (depth: Depth) => Promise<Reservation>,
): Promise<{ readonly reservation: Reservation; readonly depth: Depth }> {
  const most = deepestFor(request.depth, ofChannel);
  const affordable = moderatorChoosesDepth(request, ofChannel)
    ? depths.slice(0, depths.indexOf(most) + 1).toReversed()
    : [most];
  for (const depth of affordable.slice(0, -1)) {
    try {
      return { reservation: await reserve(depth), depth };
    } catch (error) {
      if (!(error instanceof RefusedError) || error instanceof NoModelError) throw error;
    }
  }
  const least = affordable.at(-1) ?? most;
  return { reservation: await reserve(least), depth: least };
}

/** The most characters of conversation and sources that the question may need. */
function heardCharsOf(
  { question, hears, heard, instructions = '' }: TurnRequest,
  { attachments, links }: Channel['settings'],
  { contextChars, sourceChars }: ReadingLimits,
): number {
  const hasFiles = attachments && heard !== undefined && sourcesIn(heard).length > 0;
  const hasLinks = links !== 'nobody' && /https?:\/\//i.test(question);
  const around = hears || heard ? contextChars : 0;
  return instructions.length + around + (hasFiles || hasLinks ? sourceChars : 0);
}

/** @param problem - What was expected and how to fix it. Absent: nothing is wrong. */
function refuseIf(problem: string | undefined): void {
  if (problem !== undefined) throw new RefusedError(problem);
}

/** Text without visible characters. */
const invisible = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}]*$/u;
/** Bounds the error, which needs only a few names. */
const maxUnknownShown = 5;
const maxUnknownChars = 50;

/** Checks the text of the question. */
function questionProblem(
  { question }: TurnRequest,
  limits: BotParts['limits'],
): string | undefined {
  if (invisible.test(question)) {
    return 'I don’t see a question there. Write what the council should think about.';
  }
  if (question.length > limits.maxQuestionChars) {
    return `Your question is ${question.length} characters long, and the limit is ${limits.maxQuestionChars}. Shorten it, or ask in parts.`;
  }
  return undefined;
}

/** @param bench - The sages that may sit in the channel. */
function sagesProblem(sages: TurnRequest['sages'], bench: Council['bench']): string | undefined {
  if (sages === undefined) return undefined;
  const unknown = sages.filter((key) => !bench.some((sage) => sage.key === key));
  if (unknown.length === 0 && sages.length > 0) return undefined;
  const known = bench.map((sage) => sage.key).join(', ');
  const shown = unknown.slice(0, maxUnknownShown).map((key) => key.slice(0, maxUnknownChars));
  const names = [...shown, ...(unknown.length > shown.length ? ['…'] : [])].join(', ');
  return `${names === '' ? 'No sage was named' : `Not on this bench: ${names}`}. You can choose from: ${known}.`;
}
