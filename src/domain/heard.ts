/** What a turn has heard of people's conversation: kept with the turn alone, and forgotten with the message or its author. */

import { z } from 'zod';
import { readNames, type Source, sourceSchema, takenInWords, unreadSentences } from './source.ts';
import { listed } from './words.ts';

const heardMessageSchema = z.object({
  /** The platform's own id of the post, as an `eventId` of a question in it. */
  id: z.string(),
  author: z.object({ id: z.string(), name: z.string() }),
  /** Milliseconds since 1970. */
  at: z.number(),
  /** Plain words: mentions by name, what was forwarded or embedded below what was written; empty beside sources. */
  text: z.string(),
  /** What came with it, or what it links to. */
  sources: z.array(sourceSchema).readonly().exactOptional(),
  /** The question is about this one: it was replied to, chosen, or comes with the question itself. */
  isMeant: z.literal(true).exactOptional(),
});
export type HeardMessage = z.infer<typeof heardMessageSchema>;

/** What of people's conversation is read for a question: always what it replies to, and `thread` or `channel` besides. */
export const surroundings = ['thread', 'channel', 'replies'] as const;
export type Surroundings = (typeof surroundings)[number];

export const heardSchema = z.object({
  /** Where all of it stands: `platform:workspace:channel`, as deletions there are told. */
  place: z.string(),
  of: z.enum(surroundings),
  /** Oldest first. */
  messages: z.array(heardMessageSchema).readonly(),
  /** How many more there were, beyond the limits. */
  leftOut: z.number(),
  /** What could not be read and why, for people; a sentence. */
  gap: z.string().exactOptional(),
  /** The platform need not be asked for more. Absent: this only came with the question. */
  isWhole: z.literal(true).exactOptional(),
});
export type Heard = z.infer<typeof heardSchema>;

/** How much is read of people's conversation for one question. */
export interface HearingLimits {
  /** 0 reads nothing. */
  readonly contextMessages: number;
  /** Characters of them all together. */
  readonly contextChars: number;
}

/** The same, and how much of what people show with it. */
export interface ReadingLimits extends HearingLimits {
  /** Characters of all attachments and pages together. */
  readonly sourceChars: number;
}

/** Without some of the messages; the same object where none of them is there. */
export function heardWithout(heard: Heard, isGone: (message: HeardMessage) => boolean): Heard {
  const messages = heard.messages.filter((message) => !isGone(message));
  return messages.length === heard.messages.length ? heard : { ...heard, messages };
}

/** All that people attached or linked in what was heard. */
export function sourcesIn({ messages }: Pick<Heard, 'messages'>): readonly Source[] {
  return messages.flatMap(({ sources = [] }) => sources);
}

/** E.g. `12 messages of this thread`; what was chosen or replied to in a channel is `1 message`. */
function messagesInWords({ messages, of }: Pick<Heard, 'messages' | 'of'>): readonly string[] {
  const { length } = messages.filter(({ text }) => text !== '');
  if (length === 0) return [];
  const count = length === 1 ? '1 message' : `${length} messages`;
  return [of === 'replies' ? count : `${count} of this ${of}`];
}

/** What people are told of it: how much was read, and what could not be. */
export interface HeardNote {
  /** E.g. `12 messages of this thread and report.pdf`; absent: nothing was read. */
  readonly words?: string;
  readonly gap?: string;
  /** Attachments and pages, each with its size or address and when it was read. */
  readonly sources?: readonly string[];
}

export function toldOf(heard: Heard): HeardNote {
  const sources = sourcesIn(heard);
  const words = listed([...messagesInWords(heard), ...readNames(sources)]);
  const gap = [heard.gap ?? [], unreadSentences(sources)].flat().join(' ');
  const taken = takenInWords(sources);
  return {
    ...(words !== '' && { words }),
    ...(gap !== '' && { gap }),
    ...(taken.length > 0 && { sources: taken }),
  };
}
