/** The web platform on a free port, with a bot that takes every question and records that are set by hand. */

import { request } from 'node:http';
import { onTestFinished } from 'vitest';
import type { PastTurn } from '../../../src/council/past-turn.ts';
import { silentLog } from '../../../src/domain/log.ts';
import type { Ingress, Question } from '../../../src/platforms/platform.ts';
import type { Caller, KeyRecords, Scope } from '../../../src/platforms/web/caller.ts';
import { createWeb, type Web, type WebOptions } from '../../../src/platforms/web/web.ts';
import type { ShareRecords, WebRecords, WebTurn } from '../../../src/platforms/web/web-council.ts';

/** Keys by their secrets. */
export type Keys = Readonly<Record<string, Caller>>;

export function keyed(keyId: string, workspace: string, ...scopes: readonly Scope[]): Caller {
  const person = { id: keyId, name: keyId, isManager: false, isServerManager: false };
  return { workspace, person, scopes: new Set(scopes), keyId };
}

export function recordsOf(keys: Keys): KeyRecords {
  return {
    find: async (secret) => keys[secret],
    named: async (keyId) => Object.values(keys).find((one) => one.keyId === keyId),
    any: async () => Object.keys(keys).length > 0,
  };
}

/** No link was made. */
export const noShares: ShareRecords = {
  of: async () => undefined,
  make: async () => 'secret',
  withdraw: async () => undefined,
  find: async () => undefined,
};

const ada = {
  key: 'ada',
  name: 'Ada',
  description: 'Thinks in loops.',
  source: 'predefined' as const,
};

/** As the operator's file has them. */
export const v1Limits = {
  contextMessages: 20,
  contextChars: 8000,
  sourceChars: 40_000,
  maxQuestionChars: 6000,
};

/** A turn that is asked and not begun. */
export function askedTurn(turnId: string, workspace = 'local', past: Partial<PastTurn> = {}) {
  const threadId = `web:${workspace}:council:${turnId}`;
  const author = { id: 'local', name: 'You' };
  const asked = { turnId, threadId, eventId: turnId, question: `About ${turnId}?`, author };
  const turn: WebTurn = {
    turnId,
    threadId,
    status: 'queued',
    createdAt: 1,
    usage: [],
    past: {
      request: { ...asked, askedAt: 1 },
      answers: [],
      reviews: [],
      followed: [],
      feedback: [],
      ...past,
    },
  };
  return turn;
}

export interface WebWorld {
  readonly web: Web;
  readonly origin: string;
  readonly port: number;
  /** What was asked of the bot. */
  readonly asked: Question[];
  readonly stopped: string[];
}

/** @param turns - What the store holds. @param changes - What the bot does otherwise. */
export async function openWeb(
  turns: readonly WebTurn[] = [],
  options: Partial<WebOptions> & { readonly keyed?: Keys } = {},
  changes: Partial<Ingress> = {},
): Promise<WebWorld> {
  const { keyed: keys = {}, ...more } = options;
  const asked: Question[] = [];
  const stopped: string[] = [];
  const web = createWeb({
    host: '127.0.0.1',
    port: 0,
    log: silentLog,
    keys: recordsOf(keys),
    v1: { limits: v1Limits, reasoningField: 'reasoning_content' },
    sessionSecret: async () => 'a secret of the test that is long enough for it',
    records: webRecordsOf(turns),
    shares: noShares,
    ...more,
  });
  await web.start({ ...botOf(asked, stopped), ...changes });
  onTestFinished(() => web.stop());
  const origin = web.address();
  return { web, origin, port: web.port ?? 0, asked, stopped };
}

/** @param turns - Newest first. */
export function webRecordsOf(turns: readonly WebTurn[]): WebRecords {
  return {
    turn: async (workspace, turnId) =>
      turns.find((one) => one.turnId === turnId && one.threadId.startsWith(`${workspace}:`)),
    threads: async (channel) =>
      turns
        .filter(({ threadId }) => threadId.startsWith(`${channel}:`))
        .map(({ turnId, past }) => ({
          thread: turnId,
          title: past.request.question,
          askedAt: 1,
          turnIds: [turnId],
        })),
    turnIds: async (threadId, { limit, before = Number.POSITIVE_INFINITY }) =>
      turns
        .filter((one) => one.threadId === threadId && one.createdAt < before)
        .map(({ turnId }) => turnId)
        .slice(0, limit),
    scoredTurns: async () => [],
    ingest: async (_channel, { length: added }) => ({ added, known: 0, expired: 0 }),
  };
}

function botOf(asked: Question[], stopped: string[]): Ingress {
  const unused = async (): Promise<never> => {
    throw new Error('This is not asked of the bot here.');
  };
  return {
    ask: async (question) => {
      asked.push(question);
      return { status: 'accepted', turnId: `turn-${asked.length}`, isNew: true, turnsBefore: 0 };
    },
    settings: async () => ({ bench: [ada], followUpMode: 'asked' }),
    suggest: async () => [{ label: 'Hiring', value: 'hiring' }],
    stop: async (turnId) => {
      stopped.push(turnId);
      return true;
    },
    sideTask: unused,
    addressableSages: unused,
    abandoned: unused,
    command: unused,
    interpret: (_remark, _place, read) => read(),
    turnOf: async () => undefined,
    mayGreet: unused,
    mayReply: unused,
    overview: unused,
    deleted: unused,
    left: unused,
    memberships: unused,
  };
}

export async function allOf<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export interface RawReply {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** Of a form. */
export const formHeaders = { 'content-type': 'application/x-www-form-urlencoded' };

/** A request with any header, also those that `fetch` does not let through. */
export function raw(
  port: number,
  path: string,
  options: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string | Buffer;
  } = {},
): Promise<RawReply> {
  const { body, ...rest } = options;
  const { promise, resolve, reject } = Promise.withResolvers<RawReply>();
  const sent = request({ host: '127.0.0.1', port, path, ...rest }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    response.on('end', () => {
      resolve({ status: response.statusCode, headers: response.headers, body: text });
    });
  });
  sent.on('error', reject).end(body);
  return promise;
}
