/** Reads a file to import: an export of Council, or a conversation of LLM Council. */

import { z } from 'zod';
import {
  type ExportedThread,
  type ExportedTurn,
  exportedMessageSchema,
  exportedTurnSchema,
  exportSchema,
} from '../../memory/export/export.ts';
import { sizeOf } from '../../memory/export/import-threads.ts';
import { ConversationReader, conversationSchema, fileMessageSchema } from './conversation.ts';
import { type ConversationChoices, turnsOfConversation } from './conversation-turns.ts';
import {
  DamagedFile,
  type JsonPart,
  type JsonPath,
  jsonParts,
  type OpenFile,
} from './json-parts.ts';

/** A valid file. */
export interface ReadFile {
  readonly status: 'read';
  /** Number of turns, plus messages outside turns. */
  readonly size: number;
  /** Reads the file again, in portions; a thread may take several consecutive ones. */
  readonly threads: AsyncIterable<ExportedThread>;
  /** Data in the file that is not imported, for people, e.g. `title`. */
  readonly leftOut: readonly string[];
}

/** `position`: e.g. `line 4, column 12` or `messages[3].role`. Neither text has control characters. */
export interface DamagedImport {
  readonly status: 'damaged';
  readonly position: string;
  readonly why: string;
}

export interface FileChoices extends ConversationChoices {
  /** Returns the thread for a conversation of LLM Council. */
  readonly threadOf: (conversationId: string) => string;
  /** Throws a `ZodError` for a turn that fits the schema but must not be stored. */
  readonly check: (threadId: string, turn: ExportedTurn) => void;
}

/** Messages per portion. */
const portionSize = 200;
const ofThreads = ['threads.*.turns', 'threads.*.messages'];
const ofConversations = ['messages', 'council_deliberation.messages'];
/** An export has the first of these members, a conversation one of the others. */
const telling = ['format', 'messages', 'council_deliberation'];
const anyObject = z.record(z.string(), z.unknown());

/** Validates the whole file. Malformed content is returned as `damaged`, never thrown. */
export async function readImportFile(
  open: OpenFile,
  choices: FileChoices,
): Promise<ReadFile | DamagedImport> {
  try {
    const rest = await restOf(jsonParts(open, [...ofThreads, ...ofConversations]));
    const file = anyObject.safeParse(rest).data ?? {};
    if (telling.every((member) => file[member] == null)) {
      const expected = 'an export of the council nor a conversation of LLM Council';
      throw new DamagedFile('the whole file', `it is neither ${expected}`);
    }
    const { threads, leftOut } =
      file.format == null ? conversationIn(open, rest, choices) : exportIn(open, rest, choices);
    let size = 0;
    for await (const thread of threads()) size += sizeOf({ threads: [thread] });
    return {
      status: 'read',
      size,
      leftOut: leftOut(),
      threads: { [Symbol.asyncIterator]: threads },
    };
  } catch (error) {
    if (!(error instanceof DamagedFile)) throw error;
    return {
      status: 'damaged',
      position: printable(error.position),
      why: printable(error.message),
    };
  }
}

async function restOf(parts: AsyncGenerator<JsonPart, unknown>): Promise<unknown> {
  let next = await parts.next();
  while (!next.done) next = await parts.next();
  return next.value;
}

interface Contents {
  threads(): AsyncGenerator<ExportedThread>;
  /** Complete after all threads have been read. */
  leftOut(): readonly string[];
}

function exportIn(open: OpenFile, rest: unknown, { check }: FileChoices): Contents {
  const exported = parsed(exportSchema, rest, []);
  async function* threads(): AsyncGenerator<ExportedThread> {
    let [threadId, number] = ['', -1];
    let ids = new Set<string>();
    let messages: ExportedThread['messages'] = [];
    const portion = () => {
      const full = messages.length > 0 ? [{ threadId, turns: [], messages }] : [];
      messages = [];
      return full;
    };
    for await (const { path, value } of jsonParts(open, ofThreads)) {
      if (path[1] !== number) {
        yield* portion();
        number = Number(path[1]);
        threadId = exported.threads[number]?.threadId ?? '';
        ids = new Set();
      }
      if (path[2] === 'messages') {
        const message = parsed(exportedMessageSchema, value, path);
        addId(ids, message.id, path);
        messages.push(message);
        if (messages.length === portionSize) yield* portion();
      } else {
        const turn = parsed(exportedTurnSchema, value, path);
        for (const [at, { id }] of turn.messages.entries())
          addId(ids, id, [...path, 'messages', at]);
        within(path, () => check(threadId, turn));
        yield { threadId, turns: [turn], messages: [] };
      }
    }
    yield* portion();
  }
  return { threads, leftOut: () => [] };
}

function addId(ids: Set<string>, id: string, path: JsonPath): void {
  if (ids.has(id)) {
    throw new DamagedFile(positionOf([...path, 'id']), 'another message of the thread has this id');
  }
  ids.add(id);
}

function conversationIn(open: OpenFile, rest: unknown, choices: FileChoices): Contents {
  const head = parsed(conversationSchema, rest, []);
  const threadId = choices.threadOf(head.id);
  const list = head.messages ? 'messages' : 'council_deliberation.messages';
  let left: readonly string[] = [];
  async function* threads(): AsyncGenerator<ExportedThread> {
    const reader = new ConversationReader(head);
    const { turnOf, unread } = turnsOfConversation(head, threadId, choices);
    for await (const { path, value } of jsonParts(open, [list])) {
      const asked = reader.next(parsed(fileMessageSchema, value, path));
      if (asked) yield { threadId, turns: [turnOf(asked)], messages: [] };
    }
    const last = reader.last();
    if (last) yield { threadId, turns: [turnOf(last)], messages: [] };
    const guessed = `rankings of reviews in which none can be read (${unread()})`;
    left = [...reader.leftOut(), ...(unread() > 0 ? [guessed] : [])];
  }
  return { threads, leftOut: () => left };
}

/** @throws {DamagedFile} if the value does not match the schema. */
function parsed<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  path: JsonPath,
): z.infer<Schema> {
  return within(path, () => schema.parse(value));
}

function within<Value>(path: JsonPath, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw damagedAt(error, path);
  }
}

/** Reports the first issue with its position in the file. */
function damagedAt({ issues }: z.ZodError, path: JsonPath): DamagedFile {
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  const position = positionOf([...path, ...(first?.path ?? [])]);
  return new DamagedFile(position, `${first?.message ?? 'it is not as expected'}${more}`);
}

/** @returns E.g. `messages[3].stage1[0].model`. */
function positionOf(path: readonly PropertyKey[]): string {
  const position = path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('');
  return position.replace(/^\./, '') || 'the whole file';
}

/** Replaces control characters, and cuts the text to 300 characters. */
function printable(text: string): string {
  return text.replace(/\p{C}+/gu, ' ').slice(0, 300);
}
