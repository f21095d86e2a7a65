/** Reads what people attached and linked for a question, once, as its channel allows. */

import {
  type Heard,
  type HeardMessage,
  type ReadingLimits,
  sourcesIn,
} from '../../domain/heard.ts';
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
import type { Platform } from '../../platforms/platform.ts';
import type { ChannelSettings } from '../../settings/channel-settings.ts';
import { linksIn } from '../../sources/fetch-page.ts';
import { type MayConnect, readSources } from '../../sources/sources.ts';

export interface ReadingOptions {
  readonly platform: Pick<Platform, 'openFile' | 'linkTo'>;
  readonly hearing: Pick<ReadingLimits, 'sourceChars'>;
  /** Of the channel. */
  readonly allowed: Pick<ChannelSettings, 'attachments' | 'links'>;
  readonly mayConnect?: MayConnect | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What was read, and the pictures among it. */
export interface Read {
  readonly heard: Heard;
  readonly pictures: readonly Picture[];
}

/** What was heard, with what the question and the messages that it is about link to. */
export function withLinks(
  heard: Heard | undefined,
  request: TurnRequest,
  platform: ReadingOptions['platform'],
): Heard | undefined {
  const { threadId, question, eventId, author, askedAt } = request;
  const ownHost = URL.parse(platform.linkTo(threadId) ?? '')?.hostname;
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
    return withSources(message, [...own, ...(message.isMeant ? pagesIn(message.text) : [])]);
  });
  if (asked.length === 0 || messages.some(({ id }) => id === eventId)) {
    return heard && { ...heard, messages };
  }
  const { id, name } = author;
  const said: HeardMessage = {
    ...{ id: eventId, author: { id, name }, at: askedAt, text: '', isMeant: true, sources: asked },
  };
  const nothing = { place: channelOf(threadId), of: 'replies', leftOut: 0 } as const;
  return { ...(heard ?? nothing), messages: [...messages, said] };
}

/** Whether there is anything left to read. */
export function isPointing(heard: Heard): boolean {
  return sourcesIn(heard).some(({ status }) => status === 'pointed');
}

/** Reads all that is pointed at: first what the question is about, then the newest. Throws the signal's reason. */
export async function readIn(
  heard: Heard,
  request: TurnRequest,
  options: ReadingOptions,
  signal: AbortSignal,
): Promise<Read> {
  const byWorth = heard.messages.toSorted(
    (one, other) =>
      Number(other.isMeant ?? false) - Number(one.isMeant ?? false) || other.at - one.at,
  );
  const pointed = sourcesIn({ messages: byWorth }).filter((one) => one.status === 'pointed');
  const whyNot = refusalIn(request, options.allowed);
  const taken = await read(
    pointed.filter(({ kind }) => whyNot[kind] === undefined),
    heard,
    options,
    signal,
  );
  const found = new Map<Source, Source>(taken.map(([one, { source }]) => [one, source]));
  const come = (one: Source): Source => {
    const why = one.status === 'pointed' ? whyNot[one.kind] : undefined;
    if (why === undefined) return found.get(one) ?? one;
    return { status: 'unread', kind: one.kind, name: one.name, why };
  };
  const messages = heard.messages.map(({ sources, ...message }) => ({
    ...message,
    ...(sources && { sources: sources.map(come) }),
  }));
  const pictures = taken.flatMap(([, { picture }]) => picture ?? []);
  return { heard: { ...heard, messages }, pictures };
}

/**
 * The pictures of a turn that is resumed: their bytes were not kept. One that is another picture by now, or is gone,
 * is left out. Throws the signal's reason.
 */
export async function picturesAgain(
  heard: Heard,
  options: ReadingOptions,
  signal: AbortSignal,
): Promise<readonly Picture[]> {
  const known = sourcesIn(heard).filter((source) => source.status === 'picture');
  const pointed = known.map(({ kind, name, address }: PictureSource) => {
    return { status: 'pointed', kind, name, address } as const;
  });
  const taken = await read(pointed, heard, options, signal);
  return taken.flatMap(([, { source, picture }], at) => {
    const isSame = source.status === 'picture' && source.sha256 === known[at]?.sha256;
    return isSame && picture ? [picture] : [];
  });
}

async function read(
  pointed: readonly PointedSource[],
  { place }: Pick<Heard, 'place'>,
  { platform, hearing, mayConnect, now }: ReadingOptions,
  signal: AbortSignal,
) {
  const openFile = (address: string, late: AbortSignal): Promise<OpenedFile> =>
    platform.openFile(place, address, late);
  const reading = { openFile, maxChars: hearing.sourceChars, mayConnect, now, signal };
  const taken = await readSources(pointed, reading);
  return taken.flatMap((one, at) => {
    const from = pointed[at];
    return from ? [[from, one] as const] : [];
  });
}

/** Why files or pages are not read here, by kind, as it follows a colon. */
function refusalIn(
  { author, threadId }: TurnRequest,
  { attachments, links }: ReadingOptions['allowed'],
): { readonly [Kind in Source['kind']]?: string } {
  const { workspace } = partsOf(threadId);
  const isMember = author.workspace === undefined || author.workspace === workspace;
  return {
    ...(!attachments && { file: 'attachments are switched off here' }),
    ...(links === 'nobody' && { page: 'links are switched off here' }),
    ...(links === 'members' && !isMember && { page: 'here I follow the links of members alone' }),
  };
}

function withSources(message: HeardMessage, more: readonly Source[]): HeardMessage {
  if (more.length === 0) return message;
  return { ...message, sources: [...(message.sources ?? []), ...more] };
}
