/** The conversation around a question. It is stored only with its turn, and deleted with the message or its author. */

import { z } from 'zod';
import {
  readSourceNames,
  type Source,
  sourceDetails,
  sourceSchema,
  unreadSentences,
} from './source.ts';
import { counted, listed } from './words.ts';

const heardMessageSchema = z.object({
  /** The platform's id of the post, the same as the `eventId` of a question in it. */
  id: z.string(),
  author: z.object({ id: z.string(), name: z.string() }),
  /** Milliseconds since 1970. */
  at: z.number(),
  /** Plain text: mentions by name, forwarded and embedded text below the author's own. May be empty beside `sources`. */
  text: z.string(),
  /** Its attachments and linked pages. */
  sources: z.array(sourceSchema).readonly().exactOptional(),
  /** The council itself posted it, so it is forgotten with the turn that it was posted for. */
  isCouncils: z.literal(true).exactOptional(),
  /** Its author has changed it since it was posted. */
  isEdited: z.literal(true).exactOptional(),
  /** The question is about this message: it was replied to, selected, or sent with the question. */
  isMeant: z.literal(true).exactOptional(),
});
export type HeardMessage = z.infer<typeof heardMessageSchema>;

/** Which conversation is read for a question, besides the message that it replies to. */
export const surroundings = ['thread', 'channel', 'replies'] as const;

export const heardSchema = z.object({
  /** `platform:workspace:channel` of all messages; deletions name the same place. */
  place: z.string(),
  of: z.enum(surroundings),
  /** Oldest first. */
  messages: z.array(heardMessageSchema).readonly(),
  /** How many messages exceeded the limits. */
  leftOut: z.number(),
  /** A sentence for people: what could not be read and why. */
  gap: z.string().exactOptional(),
  /** The surroundings were read completely. Absent: these messages only came with the question. */
  isWhole: z.literal(true).exactOptional(),
});
export type Heard = z.infer<typeof heardSchema>;

/** How much of the conversation is read for one question. */
export interface HearingLimits {
  /** 0 reads nothing. */
  readonly contextMessages: number;
  /** Characters of all messages together. */
  readonly contextChars: number;
}

/** {@link HearingLimits}, and how much of attachments and pages is read. */
export interface ReadingLimits extends HearingLimits {
  /** Characters of all attachments and pages together. */
  readonly sourceChars: number;
}

/** Removes messages. Returns the same object when none matches. */
export function heardWithout(
  heard: Heard,
  isGone: (message: HeardMessage, place: string) => boolean,
): Heard {
  const messages = heard.messages.filter((message) => !isGone(message, heard.place));
  return messages.length === heard.messages.length ? heard : { ...heard, messages };
}

/** All attachments and linked pages of the messages. */
export function sourcesIn({ messages }: Pick<Heard, 'messages'>): readonly Source[] {
  return messages.flatMap(({ sources = [] }) => sources);
}

/** Counts the messages, e.g. `12 messages of this thread`; with `replies` only `1 message`. */
function messagesInWords({ messages, of }: Pick<Heard, 'messages' | 'of'>): readonly string[] {
  const { length } = messages.filter(({ text }) => text !== '');
  if (length === 0) return [];
  const count = counted(length, 'message');
  return [of === 'replies' ? count : `${count} of this ${of}`];
}

/** A note for people: how much was read, and what could not be. */
export interface HeardNote {
  /** E.g. `12 messages of this thread and report.pdf`; absent: nothing was read. */
  readonly words?: string;
  readonly gap?: string;
  /** Attachments and pages, each with its size or address and the time it was read. */
  readonly sources?: readonly string[];
}

/** Describes what was read. */
export function describeHeard(heard: Heard): HeardNote {
  const sources = sourcesIn(heard);
  const words = listed([...messagesInWords(heard), ...readSourceNames(sources)]);
  const gap = [heard.gap ?? [], unreadSentences(sources)].flat().join(' ');
  const details = sourceDetails(sources);
  return {
    ...(words !== '' && { words }),
    ...(gap !== '' && { gap }),
    ...(details.length > 0 && { sources: details }),
  };
}
