/** What is read of people’s conversation with a question: what it points at, what of it goes along, and the files in it. */

import type { Heard, HeardMessage, HearingLimits } from '../../domain/heard.ts';
import type { OpenedFile } from '../../domain/source.ts';
import { channelOf } from '../../domain/thread-id.ts';
import { shortened } from '../../domain/words.ts';
import type { Question } from '../platform.ts';

/** Asked where there are no words, and something to ask about. */
export const wordlessQuestion = 'What do you make of this?';

const mostWords = 7;
/** What points at something that was said before, in the languages that are heard most. */
const pointing =
  /(?:^|[^\p{L}])(?:this|that|these|those|it|above|settle|decide|who(?:'|’)?s right|who is right|which of (?:the two|them)|thoughts|opinions?|what do you (?:all )?think|agree|das|dies(?:e[rs]?)?|wer hat recht|was meint ihr|ça|cela|ceci|qui a raison|un avis|esto|eso|quién tiene razón|qué opin\p{L}+|isso|isto|quem tem razão|questo|quello|chi ha ragione|это|этом|кто прав|dit|deze|wie heeft gelijk)(?:[^\p{L}]|$)/iu;
const pointingWithoutSpaces =
  /これ|それ|この件|どう思|这|這|那个|哪个|谁对|이거|이것|그것|어떻게 생각/u;

/** Whether a question says so little by itself that it must be about what was said before it. */
export function pointsElsewhere(question: string): boolean {
  const text = question.trim();
  if (text.split(/\s+/).length > mostWords || text.length > 80) return false;
  return text === wordlessQuestion || pointing.test(text) || pointingWithoutSpaces.test(text);
}

/** What is read around a question, by where it was asked. In a direct message that is nothing. */
export function hearsOf(
  question: string,
  at: { readonly isInThread: boolean; readonly isReply: boolean; readonly isDirect: boolean },
): Pick<Question, 'hears'> {
  if (at.isDirect) return {};
  if (at.isInThread) return { hears: 'thread' };
  if (at.isReply) return { hears: 'replies' };
  return pointsElsewhere(question) ? { hears: 'channel' } : {};
}

/**
 * A question about another person's message.
 *
 * @param typed - What the person who asks wants to know; empty: whatever there is to say.
 * @param link - Where the message is; absent: where the question stands.
 */
export function questionAbout(author: string, typed: string, link?: string): string {
  const where = link === undefined ? '' : ` (${link})`;
  const wanted = typed.trim();
  if (wanted === '') return `What do you make of what ${author} wrote?${where}`;
  return `${wanted}\n\nAbout what ${author} wrote${where}.`;
}

/** Beyond it a single message is cut; what is meant may be longer. */
const longestShare = 4;

/**
 * Keeps what the question is about, then the newest, oldest first.
 *
 * @param found - In any order; what is named twice counts once, and is meant if either is.
 */
export function withinLimits(
  heard: Pick<Heard, 'place' | 'of' | 'gap'>,
  found: readonly HeardMessage[],
  { contextMessages, contextChars }: HearingLimits,
): Heard {
  const byId = new Map<string, HeardMessage>();
  for (const message of found) {
    const isMeant = message.isMeant ?? byId.get(message.id)?.isMeant;
    byId.set(message.id, { ...message, ...(isMeant && { isMeant }) });
  }
  const newestFirst = [...byId.values()].toSorted((one, other) => byAge(other, one));
  const wanted = newestFirst.toSorted(
    (one, other) => Number(other.isMeant ?? false) - Number(one.isMeant ?? false),
  );
  let room = contextChars;
  const kept: HeardMessage[] = [];
  for (const message of wanted.slice(0, contextMessages)) {
    const most = message.isMeant ? room : Math.min(room, contextChars / longestShare);
    if (most < 1) break;
    const text = shortened(message.text, Math.floor(most));
    kept.push({ ...message, text });
    room -= text.length;
  }
  const messages = kept.toSorted(byAge);
  return { ...heard, messages, leftOut: byId.size - kept.length };
}

/** A single message as the whole context of a question in this thread: the question is about it. */
export function heardAlone(message: HeardMessage, threadId: string, of: Heard['of']): Heard {
  const messages = [{ ...message, isMeant: true as const }];
  return { place: channelOf(threadId), of, messages, leftOut: 0 };
}

/** The oldest first; ids of one moment grow. */
function byAge(one: HeardMessage, other: HeardMessage): number {
  return one.at - other.at || one.id.localeCompare(other.id, 'en', { numeric: true });
}

const mostHops = 3;

export interface FileKeeper {
  /** Origins that files may come from, redirects included, e.g. `https://files.slack.com`. */
  readonly origins: readonly (string | undefined)[];
  /** Sent to these alone. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Why a file is not given, where the answer leads elsewhere or is no file. */
  readonly whyElsewhere: string;
  /** Whether this is a page for people in place of the file. */
  readonly isPage?: (headers: Headers) => boolean;
}

/** Redirects are followed by hand, and never to another host: what goes along with the request is a secret. */
export async function openFile(
  address: string,
  { origins, headers = {}, whyElsewhere, isPage = () => false }: FileKeeper,
  signal: AbortSignal,
): Promise<OpenedFile> {
  let url = URL.parse(address);
  for (let hop = 0; hop <= mostHops; hop += 1) {
    if (!url || !origins.includes(url.origin)) return { status: 'withheld', why: whyElsewhere };
    const response = await fetch(url, { redirect: 'manual', headers, signal });
    const location = response.headers.get('location');
    if (response.status === 200 && response.body && !isPage(response.headers)) {
      return { status: 'open', stream: response.body };
    }
    await response.body?.cancel();
    if (response.status === 200) break;
    if (response.status < 300 || response.status >= 400 || location === null) {
      return { status: 'withheld', why: 'it is not there any more' };
    }
    url = URL.parse(location, url.href);
  }
  return { status: 'withheld', why: whyElsewhere };
}

/** The origin of an address of an API that stands for the platform, e.g. a proxy. */
export function originOf(address: string | undefined): string | undefined {
  return address === undefined ? undefined : URL.parse(address)?.origin;
}
