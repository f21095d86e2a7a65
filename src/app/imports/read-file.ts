/** Reads a file for import: our own JSON, or a conversation of LLM Council. */

import { z } from 'zod';
import { mostJsonLevels, tooDeepAt } from '../../domain/json.ts';
import { type ArchivedThread, archiveSchema } from '../../memory/export/archive.ts';
import { conversationSchema } from './conversation.ts';
import { type ConversationChoices, threadOfConversation } from './conversation-turns.ts';

export type ReadFile =
  | {
      readonly status: 'read';
      readonly threads: readonly ArchivedThread[];
      /** What of the file is not in them, for people, e.g. `title`. */
      readonly leftOut: readonly string[];
    }
  /** `place`: e.g. `line 4, column 12` or `messages[3].role`. Both without control characters. */
  | { readonly status: 'damaged'; readonly place: string; readonly why: string };

export interface FileChoices extends ConversationChoices {
  /** The thread of a conversation of LLM Council, by its id. */
  readonly threadOf: (conversationId: string) => string;
}

const anyArchive = z.looseObject({ format: z.unknown() });

/** Never throws for what is in the file: all of it is read, or it is damaged and nothing is. */
export function readArchiveFile(text: string, choices: FileChoices): ReadFile {
  const json = text.replace(/^\ufeff/, '');
  const tooDeep = tooDeepAt(json);
  if (tooDeep !== undefined) {
    return damaged(placeAt(json, tooDeep), `it is nested more than ${mostJsonLevels} levels deep`);
  }
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return damaged(placeOfSyntaxError(json), 'this is not JSON');
  }
  if (anyArchive.safeParse(value).data?.format !== undefined) {
    const archive = archiveSchema.safeParse(value);
    return archive.success
      ? { status: 'read', threads: archive.data.threads, leftOut: [] }
      : damagedAt(archive.error);
  }
  const conversation = conversationSchema.safeParse(value);
  if (!conversation.success) return damagedAt(conversation.error);
  const threadId = choices.threadOf(conversation.data.id);
  const { thread, leftOut } = threadOfConversation(conversation.data, threadId, choices);
  return { status: 'read', threads: [thread], leftOut };
}

/** The first thing that is wrong, by where it stands in the file. */
export function damagedAt({ issues }: z.ZodError, within: readonly PropertyKey[] = []): ReadFile {
  const [first] = issues;
  const place = placeOf([...within, ...(first?.path ?? [])]);
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return damaged(place, `${first?.message ?? 'it is not as expected'}${more}`);
}

function damaged(place: string, why: string): ReadFile {
  return { status: 'damaged', place: printable(place), why: printable(why) };
}

/** `messages[3].stage1[0].model`. */
function placeOf(path: readonly PropertyKey[]): string {
  const place = path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('');
  return place.replace(/^\./, '') || 'the whole file';
}

/** What a terminal would obey is taken out. */
function printable(text: string): string {
  return text.replace(/\p{C}+/gu, ' ').slice(0, 300);
}

/** @returns E.g. `line 4, column 12`: the first sign that can't be there, or the end of a text that breaks off. */
export function placeOfSyntaxError(text: string): string {
  if (mayBegin(text)) return placeAt(text, text.length);
  let fine = 0;
  let broken = text.length + 1;
  while (broken - fine > 1) {
    const middle = Math.floor((fine + broken) / 2);
    if (mayBegin(text.slice(0, middle))) fine = middle;
    else broken = middle;
  }
  return placeAt(text, fine);
}

/** @returns E.g. `line 4, column 12`. @param offset - How many characters stand before it. */
function placeAt(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

/** Whether JSON may begin like this; what follows such a beginning is what is wrong. */
function mayBegin(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { message } = error;
    const position = /at position (\d+)/.exec(message)?.[1];
    return position === undefined
      ? message.startsWith('Unexpected end of')
      : Number(position) >= text.length;
  }
}
