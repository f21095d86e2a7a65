/** Reading the conversation around a question: how much of it, within which limits, and the files in it. */

import { pointsElsewhere, wordlessBeginning } from '../../domain/asking.ts';
import type { Heard, HeardMessage, HearingLimits } from '../../domain/heard.ts';
import type { OpenedFile } from '../../domain/source.ts';
import { channelOf } from '../../domain/thread-id.ts';
import { shortened } from '../../domain/words.ts';
import type { Question } from '../platform.ts';

/** The question when a person asks about something without words. */
export const wordlessQuestion = `${wordlessBeginning} this?`;

/** Which messages to read for a question, by where it was asked; none in a direct message. */
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
 * Words a question about another person's message.
 *
 * @param typed - What the asker wants to know; may be empty.
 * @param link - Link to the message; absent: it is in the same place as the question.
 */
export function questionAbout(author: string, typed: string, link?: string): string {
  const where = link === undefined ? '' : ` (${link})`;
  const wanted = typed.trim();
  if (wanted === '') return `${wordlessBeginning} what ${author} wrote?${where}`;
  return `${wanted}\n\nAbout what ${author} wrote${where}.`;
}

/** A message longer than this part of `contextChars` is cut, unless the question is about it. */
export const longestShare = 1 / 4;

/**
 * Keeps the messages that the question is about, then the first of its thread, which says what all others are about,
 * then the newest. The result is ordered oldest first.
 *
 * @param found - In any order; of duplicates one is kept, with `isMeant` if either has it.
 * @param firstId - Id of the message that began the thread; absent outside threads.
 */
export function withinLimits(
  heard: Pick<Heard, 'place' | 'of' | 'gap'>,
  found: readonly HeardMessage[],
  { contextMessages, contextChars }: HearingLimits,
  firstId?: string,
): Heard {
  const byId = new Map<string, HeardMessage>();
  for (const message of found) {
    const isMeant = message.isMeant ?? byId.get(message.id)?.isMeant;
    byId.set(message.id, { ...message, ...(isMeant && { isMeant }) });
  }
  const rank = ({ id, isMeant }: HeardMessage) => (isMeant ? 2 : Number(id === firstId));
  const wanted = [...byId.values()].toSorted(
    (one, other) => rank(other) - rank(one) || byAge(other, one),
  );
  let room = contextChars;
  const kept: HeardMessage[] = [];
  for (const message of wanted.slice(0, contextMessages)) {
    const most = message.isMeant ? room : Math.min(room, contextChars * longestShare);
    if (most < 1) break;
    const text = shortened(message.text, Math.floor(most));
    kept.push({ ...message, text });
    room -= text.length;
  }
  const messages = kept.toSorted(byAge);
  return { ...heard, messages, leftOut: byId.size - kept.length };
}

/** Makes the message that a question is about its only context. */
export function heardAlone(message: HeardMessage, threadId: string, of: Heard['of']): Heard {
  const messages = [{ ...message, isMeant: true as const }];
  return { place: channelOf(threadId), of, messages, leftOut: 0 };
}

/** Compares by time, then by id, which rises within the same moment. */
function byAge(one: HeardMessage, other: HeardMessage): number {
  return one.at - other.at || one.id.localeCompare(other.id, 'en', { numeric: true });
}

const mostHops = 3;

/** Where a platform keeps files. */
export interface FileHost {
  /** Allowed origins, also for redirects, e.g. `https://files.slack.com`. */
  readonly origins: readonly (string | undefined)[];
  /** Sent only to these origins; may contain secrets. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The reason given if the address leads elsewhere or to something other than a file. */
  readonly whyElsewhere: string;
  /** Whether the response is a page for people, e.g. a login, instead of the file. */
  readonly isPage?: (headers: Headers) => boolean;
}

/** Opens a file. Follows redirects only to allowed origins, because the headers contain secrets. */
export async function openFile(
  address: string,
  { origins, headers = {}, whyElsewhere, isPage = () => false }: FileHost,
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
      return { status: 'withheld', why: 'it no longer exists' };
    }
    url = URL.parse(location, url.href);
  }
  return { status: 'withheld', why: whyElsewhere };
}

/** The origin of a configured API address, e.g. of a proxy. */
export function originOf(address: string | undefined): string | undefined {
  return address === undefined ? undefined : URL.parse(address)?.origin;
}
