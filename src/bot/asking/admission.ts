/** Checks whether a question may become a turn: its text, its sages, the limits and its cost. */

import { addressedSage, addressesAnyone } from '../../council/addressing.ts';
import {
  type Council,
  type CouncilContext,
  deepestFor,
  moderatorChoosesDepth,
} from '../../council/council.ts';
import { leastContextTokens, planCall, planTurn } from '../../council/estimate.ts';
import { languageIn, readPastTurn } from '../../council/past-turn.ts';
import { type Depth, depths } from '../../domain/asking.ts';
import { languageOf } from '../../domain/languages/languages.ts';
import { partsOf } from '../../domain/thread-id.ts';
import type { TurnRequest } from '../../domain/turn.ts';
import { listed, namesOf, sageNamed } from '../../domain/words.ts';
import { estimateTokens } from '../../models/chat-model.ts';
import type { QueuedTurn } from '../../queue/queue.ts';
import { quotedValue } from '../../settings/channel-settings.ts';
import { Notes } from '../../store/store.ts';
import {
  NoModelError,
  openingClaims,
  payerFor,
  RefusedError,
  thisQuestion,
} from '../money/budgets.ts';
import type { Estimate, TurnModels } from '../money/money.ts';
import { type Reservation, turnMs } from '../money/reservation.ts';
import type { BotParts } from '../parts.ts';
import {
  type Channel,
  channelFor,
  channelOfTurn,
  channelWithPreset,
  readChannel,
} from '../places/channels.ts';
import { lastTurns, recentScope, satIn, turnIn, withQuestion } from '../places/turns-of-place.ts';
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

/**
 * Checks a question against the limits and the settings of its channel, and reserves what it may cost.
 *
 * @throws {RefusedError}
 */
export async function admit(asked: TurnRequest, parts: BotParts): Promise<Admitted> {
  const { money, limits, store, now } = parts;
  const { threadId, turnId, author } = asked;
  assertReadable(asked, limits);
  const recent = recentScope(partsOf(threadId), author.id);
  const asker = payerFor(author, asked);
  const isUncertain = languageOf('auto', asked.question) === undefined;
  // On the chats, a thread is named after the message that opens it.
  const isFirst = asked.eventId.endsWith(partsOf(threadId).thread);
  // In parallel, because the store may be far away.
  const [{ channel: base, extra }, spent, before] = await Promise.all([
    readChannel(parts, threadId, [recent]),
    money.spentBy(asker),
    isUncertain && !isFirst ? turnIn(store.turns, asked, undefined) : undefined,
  ]);
  const channel = channelFor(asked, withPreset(asked, base, parts));
  const { council } = channel;
  const [kept = {}] = extra;
  const language =
    asked.language ??
    languageOf(channel.settings.language, asked.question) ??
    languageIn(before?.request) ??
    'en';
  const addressed = await withSages(asked, council, store);
  const request = language === 'en' ? addressed : { ...addressed, language };
  const payer = { ...asker, settings: channel.settings };
  const terms = { holder: turnId, claims: openingClaims(asked, limits) };
  const { request: affordable, reservation } = await reserveAffordable(request, council, (depth) =>
    money.reserve(payer, estimateOf(request, channel, depth, parts), spent, terms),
  ).catch(async (error: unknown) => {
    // Without a model there is no council, but people can see who would have sat.
    if (!(error instanceof NoModelError)) throw error;
    throw new NoModelError(`${error.message}\n\n${await whoWouldSit(request, council)}`);
  });
  const { retentionDays } = parts.settings;
  return {
    request: affordable,
    reservation,
    addToRecent: (question) =>
      new Notes(store.settings, recent, { now, retentionDays }).put(withQuestion(kept, question)),
  };
}

/**
 * Reserves what a stored turn may cost with all that it reads, before it calls a model.
 *
 * @returns The request, possibly with less depth, because a budget covers no more.
 * @throws {RefusedError} if that is more than a budget has left.
 */
export async function reserveWithContext(
  request: TurnRequest,
  channel: Channel,
  { forSages, forChair, forReviewers }: CouncilContext,
  parts: BotParts,
): Promise<TurnRequest> {
  const contextTokens = Math.max(...[forSages, forChair, forReviewers].map(estimateTokens));
  if (contextTokens <= leastContextTokens) return request;
  // It has its slot of the hour.
  const settings = { ...channel.settings, questionsPerUserPerHour: 'unlimited' } as const;
  const payer = { ...payerFor(request.author, request), settings };
  const terms = { holder: request.turnId, leaseMs: turnMs, isHandedOver: true };
  const reserve = (depth: Depth) => {
    const estimate = estimateOf(request, channel, depth, parts, contextTokens);
    return parts.money.reserve(payer, estimate, undefined, terms);
  };
  return (await reserveAffordable(request, channel.council, reserve)).request;
}

/** Reserves again what an unfinished turn held in the memory of an earlier process. */
export async function reserveAgain(turn: QueuedTurn, parts: BotParts): Promise<void> {
  const { money, limits, store } = parts;
  const [record, { channel: current }] = await Promise.all([
    store.turns.read(turn),
    readChannel(parts, turn.threadId),
  ]);
  if (!record) return;
  const past = readPastTurn(record);
  const { request } = past;
  const channel = channelFor(request, channelOfTurn(parts, current, past));
  const depth = request.depthUpTo ?? deepestFor(request.depth, channel.council.depth);
  const payer = { ...payerFor(request.author, request), settings: channel.settings };
  const terms = { holder: turn.turnId, claims: openingClaims(request, limits) };
  await money.reserveAgain(payer, estimateOf(request, channel, depth, parts), terms);
}

function withPreset({ preset }: TurnRequest, base: Channel, parts: BotParts): Channel {
  if (preset === undefined) return base;
  const channel = channelWithPreset(parts, base, preset);
  if (channel) return channel;
  const known = base.presets.map(({ key }) => key);
  const there = known.length === 0 ? 'There are none here yet.' : `There are: ${listed(known)}.`;
  throw new RefusedError(`There is no preset ${quotedValue(preset)} here. ${there}`);
}

/**
 * Finds the chosen or addressed sages on the bench and among those who sat in the thread: of these, invented ones
 * can be asked again, and others may have left since.
 *
 * @throws {RefusedError} if one of them can't be asked here.
 */
async function withSages(
  asked: TurnRequest,
  { bench, maxDynamicSages }: Council,
  { turns }: BotParts['store'],
): Promise<TurnRequest> {
  const { question, threadId } = asked;
  const addressed = asked.sages ? undefined : addressedSage(question, bench);
  const named = addressed ? [addressed.key] : asked.sages;
  const isOnBench = (key: string) => bench.some((sage) => sage.key === key);
  if (named ? named.length > 0 && named.every(isOnBench) : !addressesAnyone(question)) {
    return named ? { ...asked, sages: named } : asked;
  }
  const earlier = satIn(await lastTurns(turns, threadId));
  const known = [...bench, ...earlier.filter(({ key }) => !isOnBench(key))];
  const keyOf = (given: string) =>
    (known.find(({ key }) => key === given) ?? sageNamed(given, known))?.key ?? given;
  const gone = named ? undefined : addressedSage(question, earlier);
  const sages = gone ? [gone.key] : named?.map(keyOf);
  if (!sages) return asked;
  // Where no sages may be invented, earlier ones can't be asked again either.
  const guests = known.filter(
    ({ key, source }) => source === 'dynamic' && maxDynamicSages > 0 && sages.includes(key),
  );
  const unknown = sages.filter((key) => ![...bench, ...guests].some((sage) => sage.key === key));
  if (unknown.length === 0 && sages.length > 0) {
    return { ...asked, sages, ...(guests.length > 0 && { guests }) };
  }
  const shown = quotedValue(unknown.map(namesOf(earlier)));
  const problem = unknown.length === 0 ? 'No sage was named' : `Not on this bench: ${shown}`;
  const choices = bench.map(({ name }) => name).join(', ');
  throw new RefusedError(`${problem}. You can choose from: ${choices}.`);
}

/** @param readTokens - What was read for each prompt; 0 if nothing is read yet. */
function estimateOf(
  request: TurnRequest,
  { council, settings }: Channel,
  depth: Depth,
  { memory: { limits } }: BotParts,
  readTokens = 0,
): Estimate {
  const isSummedUp = settings.memory && limits.interactions > 0 && settings.history === 'full';
  const calls = (models: TurnModels) => [
    ...planTurn(council, models, {
      questionChars: request.question.length,
      depth,
      sages: request.sages,
      isSeated: request.convened?.seated !== undefined,
      isReviewed: request.deepens !== undefined,
      contextTokens: leastContextTokens + readTokens,
    }),
    // Written before the rest is read.
    ...(isSummedUp && readTokens === 0
      ? [planCall('shard', models.compactor.id, 0, limits.budgetTokens)]
      : []),
  ];
  return { what: thisQuestion, advice: whatCostsLess(request, depth), calls };
}

/**
 * Reserves what a question may cost. If the moderator chooses the depth, at the deepest that the budgets allow.
 *
 * @throws The last error of `reserve`.
 */
async function reserveAffordable(
  request: TurnRequest,
  { depth: ofChannel }: Pick<Council, 'depth'>,
  reserve: (depth: Depth) => Promise<Reservation>,
): Promise<{ readonly reservation: Reservation; readonly request: TurnRequest }> {
  const depth = request.depthUpTo ?? deepestFor(request.depth, ofChannel);
  const isOpen = moderatorChoosesDepth(request, ofChannel);
  try {
    const reservation = await reserve(depth);
    return { reservation, request: isOpen ? { ...request, depthUpTo: depth } : request };
  } catch (error) {
    const isTooDear = error instanceof RefusedError && !(error instanceof NoModelError);
    const depthUpTo = isOpen ? depths[depths.indexOf(depth) - 1] : undefined;
    if (!isTooDear || depthUpTo === undefined) throw error;
    return reserveAffordable({ ...request, depthUpTo }, { depth: ofChannel }, reserve);
  }
}

/** @returns `undefined`: nothing like it costs less. */
function whatCostsLess({ sages, deepens }: TurnRequest, depth: Depth): string | undefined {
  if (deepens !== undefined || sages?.length === 1) return undefined;
  const quick = depth === 'quick' ? 'A single sage' : 'A council of depth quick, or a single sage,';
  return `${quick} costs less.`;
}

/** Text without visible characters. */
const invisible = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}]*$/u;

/** Refuses an empty or too long question. */
function assertReadable({ question }: TurnRequest, { maxQuestionChars }: BotParts['limits']): void {
  if (invisible.test(question)) {
    throw new RefusedError(
      'I don’t see a question there. Write what the council should think about.',
    );
  }
  if (question.length > maxQuestionChars) {
    throw new RefusedError(
      `Your question is ${question.length} characters long, and the limit is ${maxQuestionChars}. Shorten it, or ask in parts.`,
    );
  }
}
