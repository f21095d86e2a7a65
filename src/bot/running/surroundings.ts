/** Reads the conversation, attachments and links around a question once, before its turn calls any model. */

import { type PastTurn, readPastTurn, type TurnStep } from '../../council/past-turn.ts';
import { isWordless, pointsElsewhere } from '../../domain/asking.ts';
import {
  describeHeard,
  type Heard,
  type HeardMessage,
  heardWithout,
  type ReadingLimits,
  sourcesIn,
} from '../../domain/heard.ts';
import type { Log } from '../../domain/log.ts';
import {
  type OpenedFile,
  type Picture,
  type PictureSource,
  type PointedSource,
  plainTitle,
  type Source,
} from '../../domain/source.ts';
import { channelOf, partsOf } from '../../domain/thread-id.ts';
import type { TurnRequest } from '../../domain/turn.ts';
import { noteHeard } from '../../memory/forgetting/heard.ts';
import { type Platform, UnshowableError } from '../../platforms/platform.ts';
import type { ChannelSettings } from '../../settings/channel-settings.ts';
import { linksIn } from '../../sources/fetch-page.ts';
import { readSources } from '../../sources/sources.ts';
import type { TurnRecord } from '../../store/store.ts';
import { within } from '../../waiting.ts';
import type { BotParts } from '../parts.ts';
import type { Channel } from '../places/channels.ts';
import { lastTurns } from '../places/turns-of-place.ts';
import type { HeldTurn } from './held-turn.ts';

/** How long a question waits for the surrounding conversation, in milliseconds. */
const hearWithinMs = 5000;

type HearingOptions = Pick<BotParts, 'store' | 'hearing' | 'settings' | 'mayConnect' | 'now'> & {
  readonly platform: Pick<Platform, 'hear' | 'openFile' | 'linkTo'>;
};

/** A turn and the channel whose settings apply to it. */
interface HearingTurn {
  readonly record: TurnRecord;
  readonly past: PastTurn;
  readonly channel: Pick<Channel, 'settings'>;
  readonly held: Pick<HeldTurn, 'checkpoint'>;
  readonly log: Log;
}

/**
 * Reads and stores the conversation and sources around a turn's question. If the platform fails or is too
 * slow, the turn continues without them. Once the signal is aborted, nothing new is read. Throws what the
 * store throws.
 */
export async function readSurroundings(
  turn: HearingTurn,
  options: HearingOptions,
  signal: AbortSignal,
): Promise<Partial<Read>> {
  const { record, past, held } = turn;
  const { request, heard: known } = past;
  const { store, platform, settings, now } = options;
  const reading = { ...options, allowed: turn.channel.settings };
  try {
    if (known?.isWhole) {
      return { heard: known, pictures: await rereadPictures(known, reading, signal) };
    }
    const around = await readConversation(turn, options, signal);
    const found = withLinkedPages(around, request, platform);
    if (!found) return {};
    const heard = around === known ? found : await withoutDeleted(found, known, turn, store);
    const hasUnread = unreadIn(heard).length > 0;
    if (around === known && !hasUnread) return { heard };
    const { retentionDays } = settings;
    await noteHeard(store, record, heard, { now, retentionDays });
    const { turnId, threadId, attempt } = record;
    const keep = (said: Heard) =>
      held.checkpoint({ turnId, threadId, attempt, steps: [heardStep(said)] });
    // Stored before its sources are read, so that what is deleted meanwhile is found and removed.
    if (hasUnread) await keep(heard);
    const read = await readSourcesOf({ ...heard, isWhole: true }, request, reading, signal);
    const kept = hasUnread ? await withoutDeleted(read.heard, heard, turn, store) : read.heard;
    await keep(kept);
    if (kept === read.heard) return read;
    return { heard: kept, pictures: await rereadPictures(kept, reading, signal) };
  } catch (error) {
    if (!signal.aborted) throw error;
    return known ? { heard: known } : {};
  }
}

/** Leaves out the messages that have been removed from the turn since `known` was stored. */
async function withoutDeleted(
  heard: Heard,
  known: Heard | undefined,
  { record }: Pick<HearingTurn, 'record'>,
  { turns }: HearingOptions['store'],
): Promise<Heard> {
  const stored = known && (await turns.read(record));
  const left = stored && readPastTurn(stored).heard?.messages.map(({ id }) => id);
  const gone = (known?.messages ?? []).filter(({ id }) => !left?.includes(id));
  return heardWithout(heard, ({ id }) => gone.some((one) => one.id === id));
}

/** Reads the surrounding conversation. If there is none to read, returns what came with the question. */
async function readConversation(
  { record, past, log }: HearingTurn,
  { platform, hearing }: HearingOptions,
  signal: AbortSignal,
): Promise<Heard | undefined> {
  const { request, heard: known } = past;
  if (request.hears === undefined || hearing.contextMessages === 0) return known;
  const enough = new AbortController();
  const reading = platform.hear(request, known, hearing, enough.signal);
  const found = await within(reading, { ms: hearWithinMs, signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    log.warn({ error }, 'the surrounding conversation could not be read');
    return undefined;
  });
  enough.abort(new Error('The turn continues without the messages that were not read in time.'));
  reading.catch(() => undefined);
  signal.throwIfAborted();
  const gap = 'The conversation can’t be read right now.';
  return found ?? { ...(known ?? emptyHeard(record.threadId, request.hears)), gap };
}

function emptyHeard(threadId: string, of: Heard['of']): Heard {
  return { place: channelOf(threadId), of, messages: [], leftOut: 0 };
}

/**
 * Throws an `UnshowableError` for a question that only points at messages or files of which nothing could be read: the
 * council would be paid to think about nothing. What its thread remembers may be meant, too.
 */
export async function assertReadable(
  { question, hears, repliesTo, eventId, threadId }: TurnRequest,
  heard: Heard | undefined,
  { turns }: HearingOptions['store'],
): Promise<void> {
  const isOurs = isWordless(question);
  if (!heard || !(isOurs || (hears && pointsElsewhere(question)))) return;
  const isKnown = heard.messages.some(
    ({ id, text, sources = [] }) =>
      (id === eventId && !isOurs) ||
      text !== '' ||
      sources.some(({ status }) => status !== 'unread'),
  );
  if (isKnown || (heard.messages.length === 0 && repliesTo === undefined)) return;
  const earlier = await lastTurns(turns, threadId);
  if (earlier.some(({ answers }) => answers.length > 0)) return;
  const { gap = 'There is nothing that I can read in what you ask about.' } = describeHeard(heard);
  throw new UnshowableError(`${gap} Write in words what the council should think about.`);
}

/** The conversation around a question as a stored step of its turn. */
export function heardStep(heard: Heard) {
  const kind: TurnStep['kind'] = 'heard';
  return { kind, key: '', data: heard };
}

interface ReadingOptions extends Pick<HearingOptions, 'mayConnect' | 'now'> {
  readonly platform: Pick<Platform, 'openFile' | 'linkTo'>;
  readonly hearing: Pick<ReadingLimits, 'sourceChars'>;
  /** The channel's settings. */
  readonly allowed: Pick<ChannelSettings, 'attachments' | 'links'>;
}

/** The conversation with its sources read, and the pictures among them. */
interface Read {
  readonly heard: Heard;
  readonly pictures: readonly Picture[];
}

/** Adds the pages that the question and the messages it refers to link to. */
function withLinkedPages(
  heard: Heard | undefined,
  request: TurnRequest,
  platform: ReadingOptions['platform'],
): Heard | undefined {
  const { threadId, question, eventId, author, askedAt } = request;
  // Slack's workspaces have hosts beside `app.slack.com`.
  const own = platform.linkTo(threadId)?.replace('//app.slack.com/', '//slack.com/') ?? '';
  const ownHost = URL.parse(own)?.hostname;
  const isOwn = (host: string) =>
    ownHost !== undefined && (host === ownHost || host.endsWith(`.${ownHost}`));
  const seen = new Set<string>();
  const pagesIn = (text: string): readonly PointedSource[] =>
    linksIn(text, isOwn).flatMap((address) => {
      if (seen.has(address)) return [];
      seen.add(address);
      const { host, pathname } = new URL(address);
      const name = plainTitle(`${host}${pathname}`);
      return [{ status: 'pointed', kind: 'page', name, address }];
    });
  const asked = pagesIn(question);
  const messages = (heard?.messages ?? []).map((message) => {
    const own = message.id === eventId ? asked : [];
    const pages = [...own, ...(message.isMeant ? pagesIn(message.text) : [])];
    if (pages.length === 0) return message;
    return { ...message, sources: [...(message.sources ?? []), ...pages] };
  });
  if (asked.length === 0 || messages.some(({ id }) => id === eventId)) {
    return heard && { ...heard, messages };
  }
  const { id, name } = author;
  const said: HeardMessage = {
    id: eventId,
    author: { id, name },
    at: askedAt,
    text: '',
    isMeant: true,
    sources: asked,
  };
  return { ...(heard ?? emptyHeard(threadId, 'replies')), messages: [...messages, said] };
}

function unreadIn(heard: Pick<Heard, 'messages'>): readonly PointedSource[] {
  return sourcesIn(heard).filter((source) => source.status === 'pointed');
}

const noRoom = 'the texts before it took all the room that one question has';

/** Reads all sources: first those of messages that the question refers to, then the newest. Throws the signal's reason. */
async function readSourcesOf(
  heard: Heard,
  request: TurnRequest,
  options: ReadingOptions,
  signal: AbortSignal,
): Promise<Read> {
  const byPriority = heard.messages.toSorted(
    (one, other) =>
      Number(other.isMeant ?? false) - Number(one.isMeant ?? false) || other.at - one.at,
  );
  const pointed = unreadIn({ messages: byPriority });
  const whyNot = refusalsByKind(request, options.allowed);
  const allowed = pointed.filter(({ kind }) => whyNot[kind] === undefined);
  const taken = await read(allowed, heard, options, signal);
  const outcomes = new Map<Source, Source>(
    taken.map(({ source }, at) => [allowed[at] ?? source, source]),
  );
  for (const one of pointed) {
    const { kind, name } = one;
    const found = outcomes.get(one);
    const why = found?.status === 'read' && found.text === '' ? noRoom : whyNot[kind];
    if (why !== undefined) outcomes.set(one, { status: 'unread', kind, name, why });
  }
  const messages = heard.messages.map(({ sources, ...message }) => ({
    ...message,
    ...(sources && { sources: sources.map((one) => outcomes.get(one) ?? one) }),
  }));
  const pictures = taken.flatMap(({ picture }) => picture ?? []);
  return { heard: { ...heard, messages }, pictures };
}

/**
 * Reads the pictures of a resumed turn again, because their bytes are not stored. Leaves out pictures that
 * have changed or are gone. Throws the signal's reason.
 */
export async function rereadPictures(
  heard: Heard,
  options: ReadingOptions,
  signal: AbortSignal,
): Promise<readonly Picture[]> {
  const known = sourcesIn(heard).filter((source) => source.status === 'picture');
  const pointed = known.map(({ kind, name, address }: PictureSource) => {
    return { status: 'pointed', kind, name, address } as const;
  });
  const taken = await read(pointed, heard, options, signal);
  return taken.flatMap(({ source, picture }, at) => {
    const isSame = source.status === 'picture' && source.sha256 === known[at]?.sha256;
    return isSame && picture ? [picture] : [];
  });
}

/** @returns In the order of the sources. */
async function read(
  pointed: readonly PointedSource[],
  { place }: Pick<Heard, 'place'>,
  { platform, hearing, mayConnect, now }: ReadingOptions,
  signal: AbortSignal,
) {
  const openFile = (address: string, late: AbortSignal): Promise<OpenedFile> =>
    platform.openFile(place, address, late);
  const reading = { openFile, maxChars: hearing.sourceChars, mayConnect, now, signal };
  return readSources(pointed, reading);
}

/** Why files or pages are not read here, by kind. Follows a colon. */
function refusalsByKind(
  { author, threadId, isOpenOutside }: TurnRequest,
  { attachments, links }: ReadingOptions['allowed'],
): { readonly [Kind in Source['kind']]?: string } {
  const { workspace = partsOf(threadId).workspace } = author;
  // In an organisation, members are of its many workspaces.
  const isMember = isOpenOutside !== true || workspace === partsOf(threadId).workspace;
  return {
    ...(!attachments && { file: 'attachments are switched off here' }),
    ...(links === 'nobody' && { page: 'links are switched off here' }),
    ...(links === 'members' && !isMember && { page: 'here I follow the links of members alone' }),
  };
}
