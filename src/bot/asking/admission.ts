/** Whether a question may become a turn: what is asked, of whom, how often and at what cost. */

import { addressedSage, addressesAnyone } from '../../council/addressing.ts';
import { type Council, deepestFor, moderatorChoosesDepth } from '../../council/council.ts';
import { type PlannedCalls, planCall, planTurn } from '../../council/estimate.ts';
import { type Depth, depths } from '../../domain/asking.ts';
import { type ReadingLimits, sourcesIn } from '../../domain/heard.ts';
import { partsOf } from '../../domain/thread-id.ts';
import type { TurnRequest } from '../../domain/turn.ts';
import { listed } from '../../domain/words.ts';
import { Notes } from '../../store/notes.ts';
import type { StoredSettings } from '../../store/store.ts';
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

/** A question that may be asked. */
export interface Admitted {
  /** With the sage that it begins with the name of. */
  readonly request: TurnRequest;
  /** A slot among the open questions, one of the hour’s, and what it may cost. */
  readonly held: Reservation;
  /** Stores that the person asked it; to be called once its turn is stored. */
  keep(asked: TurnRequest): Promise<void>;
}

export class Admission {
  readonly #options: BotParts;

  constructor(options: BotParts) {
    this.#options = options;
  }

  /**
   * Holds a question against the limits and against what its channel is set to.
   *
   * @throws {RefusedError}
   */
  async admit(asked: TurnRequest): Promise<Admitted> {
    const { money, limits } = this.#options;
    const { threadId, turnId, author } = asked;
    refuseFor(complaintAbout(asked, limits));
    const recent = recentScope(partsOf(threadId), author.id);
    const asker = payerFor(author, threadId);
    // Asked in one step, so that a store that is far away is waited for once.
    const [{ channel: usual, beside }, standing] = await Promise.all([
      readChannel(this.#options, threadId, [recent]),
      money.standing(asker),
    ]);
    const channel = channelFor(asked, this.#withPreset(asked, usual));
    const request = await this.#withSages(asked, channel);
    const known = [...channel.council.bench, ...(request.guests ?? [])];
    refuseFor(complaintAboutSages(request.sages, known));
    const hold = (depth: Depth) => {
      const estimate = {
        what: thisQuestion,
        calls: (models: TurnModels) => this.#plan(request, channel, models, depth),
      };
      return money.reserve({ ...asker, settings: channel.settings }, estimate, standing, {
        ...{ holder: turnId, claims: openingClaims(asked, limits) },
      });
    };
    const { held, depth } = await heldFor(request, channel.council, hold).catch(
      async (error: unknown) => {
        // Without a model there is no council: people learn at least who would have sat.
        if (!(error instanceof NoModelError)) throw error;
        throw new NoModelError(
          `${error.message}\n\n${await whoWouldSit(request, channel.council)}`,
        );
      },
    );
    const isOpen = moderatorChoosesDepth(request, channel.council.depth);
    return {
      ...{ request: isOpen ? { ...request, depthUpTo: depth } : request, held },
      keep: (taken) => this.#remember(taken, recent, beside[0] ?? {}),
    };
  }

  #withPreset({ preset }: TurnRequest, usual: Channel): Channel {
    if (preset === undefined) return usual;
    const channel = channelWithPreset(this.#options, usual, preset);
    if (channel) return channel;
    const known = usual.presets.map(({ key }) => key);
    const there = known.length === 0 ? 'There are none here yet.' : `There are: ${listed(known)}.`;
    throw new RefusedError(`There is no preset “${preset}” here. ${there}`);
  }

  /** Keeps which questions a person asked last. */
  async #remember(request: TurnRequest, scope: string, kept: StoredSettings): Promise<void> {
    const { store, now } = this.#options;
    const notes = new Notes(store.settings, scope, { now });
    await notes.put(withQuestion(kept, request.turnId, request.threadId));
  }

  /** Finds the sages that the question is put to; in its thread that may be guests, who are on no bench. */
  async #withSages(asked: TurnRequest, { council }: Channel): Promise<TurnRequest> {
    const { bench, maxDynamicSages } = council;
    const { sages, question, threadId } = asked;
    const onBench = sages ? undefined : addressedSage(question, bench);
    if (onBench) return { ...asked, sages: [onBench.key] };
    const isElsewhere = sages
      ? sages.some((key) => bench.every((sage) => sage.key !== key))
      : addressesAnyone(question);
    // Where no sages may be invented, earlier ones are not heard again either.
    if (!isElsewhere || maxDynamicSages === 0) return asked;
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
 * Holds what a question may cost. Where the moderator is to say how deep it goes, that is as deep as there is
 * money for. Throws what `hold` throws last.
 */
async function heldFor(
  request: TurnRequest,
  { depth: ofChannel }: Council,
  hold: (depth: Depth) => Promise<Reservation>,
): Promise<{ readonly held: Reservation; readonly depth: Depth }> {
  const most = deepestFor(request.depth, ofChannel);
  const affordable = moderatorChoosesDepth(request, ofChannel)
    ? depths.slice(0, depths.indexOf(most) + 1).toReversed()
    : [most];
  for (const depth of affordable.slice(0, -1)) {
    try {
      return { held: await hold(depth), depth };
    } catch (error) {
      if (!(error instanceof RefusedError) || error instanceof NoModelError) throw error;
    }
  }
  const least = affordable.at(-1) ?? most;
  return { held: await hold(least), depth: least };
}

/** The most that is heard and read for a question, as far as the question shows. */
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

/** @param complaint - What was expected and how to fix it; absent: nothing is wrong. */
function refuseFor(complaint: string | undefined): void {
  if (complaint !== undefined) throw new RefusedError(complaint);
}

/** Nothing readable. */
const unseen = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}]*$/u;
/** Of the names that are not known, as many as help to find the mistake. */
const mostUnknownShown = 5;
const longestUnknownShown = 50;

/** What can be told from the question alone. */
function complaintAbout({ question }: TurnRequest, limits: BotParts['limits']): string | undefined {
  if (unseen.test(question)) {
    return 'I don’t see a question there. Write what the council should think about.';
  }
  if (question.length > limits.maxQuestionChars) {
    return `Your question is ${question.length} characters long, and the limit is ${limits.maxQuestionChars}. Shorten it, or ask in parts.`;
  }
  return undefined;
}

/** @param bench - Who may sit in the channel. */
function complaintAboutSages(
  sages: TurnRequest['sages'],
  bench: Council['bench'],
): string | undefined {
  if (sages === undefined) return undefined;
  const unknown = sages.filter((key) => !bench.some((sage) => sage.key === key));
  if (unknown.length === 0 && sages.length > 0) return undefined;
  const known = bench.map((sage) => sage.key).join(', ');
  const shown = unknown.slice(0, mostUnknownShown).map((key) => key.slice(0, longestUnknownShown));
  const names = [...shown, ...(unknown.length > shown.length ? ['…'] : [])].join(', ');
  return `${names === '' ? 'No sage was named' : `Not on this bench: ${names}`}. You can choose from: ${known}.`;
}
