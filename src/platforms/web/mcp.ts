/** The council as MCP tools: a server for one caller, and its HTTP endpoint. */

import { hash } from 'node:crypto';
import {
  type CallToolResult,
  createMcpHandler,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { TurnEnd } from '../../council/events.ts';
import { turnWordsIn } from '../../domain/languages/languages.ts';
import type { Log } from '../../domain/log.ts';
import { partsOf } from '../../domain/thread-id.ts';
import { namesOf, oneLine } from '../../domain/words.ts';
import { progressSentence } from '../chat/show/progress-words.ts';
import { advance, notBegun, type TurnProgress } from '../chat/show/turn-progress.ts';
import { assertMay, type Caller, callerIn, type WebEnv } from './caller.ts';
import { turnOrThrow } from './council-replies.ts';
import { questionShape } from './question-fields.ts';
import { replyTo, withIsoTimes } from './refusals.ts';
import type { WebParts, WebRoutes } from './server.ts';
import { answerText, verdictText } from './v1/deliberation.ts';
import type { WebCouncil, WebQuestion, WebTurn } from './web-council.ts';

interface CouncilServerOptions {
  readonly council: WebCouncil;
  readonly caller: Caller;
  readonly log: Log;
  /** How long a tool waits for a turn to end before it returns the turn's id, in milliseconds. Default: 50 000. */
  readonly answerWithinMs?: number;
  /** How often a client that asks for progress gets some, at least, in milliseconds. Default: 10 000. */
  readonly progressEveryMs?: number;
  /** Turns whose result no client has received: their ids, by a hash of what was asked. Default: those of this server. */
  readonly calls?: LRUCache<string, string>;
}

const mostCalls = { max: 1000, ttl: 3_600_000 } as const;

/** Clients time out after 60 s, even if they receive progress. */
const defaultAnswerWithinMs = 50_000;

const instructions =
  'A council of AI sages: several views, blind review, one verdict. A council takes one to three minutes. When a tool answers with the id of a turn that is not finished, call get_turn with it until the verdict is there; do not ask again.';

/** Creates an MCP server; it is not connected yet. */
export function councilServer(options: CouncilServerOptions): McpServer {
  const { council, caller, log, calls = new LRUCache(mostCalls) } = options;
  const server = new McpServer({ name: 'council', version: '1' }, { instructions });
  const readOnly = { readOnlyHint: true, openWorldHint: false };
  const asks = { destructiveHint: false };
  /** Puts a question and waits for its turn. */
  const consult = (asked: WebQuestion, context: ServerContext) =>
    resultOf(log, async () => {
      // Else the question would be paid for, and its answer shown to no one.
      assertMay(caller, 'read');
      // Clients repeat a call whose connection broke, and MCP has nothing that tells it from a new one.
      const call = hash('sha256', JSON.stringify([caller.person.id, asked]));
      const earlier = await council.turn(caller, calls.get(call) ?? 'none');
      const { turnId } = earlier ?? (await council.ask(caller, asked));
      calls.set(call, turnId);
      return resultOfTurn({ ...options, calls }, turnId, context);
    });

  server.registerTool(
    'consult_council',
    {
      title: 'Consult the council',
      description:
        'Puts a question to several sages, who answer independently and review each other blind. Returns one verdict with a minority report.',
      inputSchema: z.object(questionShape),
      annotations: asks,
    },
    consult,
  );
  server.registerTool(
    'ask_sage',
    {
      title: 'Ask one sage',
      description: 'Puts a question to a single sage, who answers without a verdict.',
      inputSchema: z.object({
        sage: z.string().describe('Key, from list_sages'),
        question: questionShape.question,
        thread: questionShape.thread,
      }),
      annotations: asks,
    },
    ({ sage, ...asked }, context) => consult({ ...asked, sages: [sage] }, context),
  );
  server.registerTool(
    'get_turn',
    {
      title: 'Read a turn',
      description: 'Waits for an earlier question and returns its result.',
      inputSchema: z.object({ turn: z.string().min(1).max(200).describe('Id of the turn') }),
      annotations: readOnly,
    },
    ({ turn }, context) => resultOf(log, () => resultOfTurn({ ...options, calls }, turn, context)),
  );
  server.registerTool(
    'list_sages',
    {
      title: 'List the sages',
      description: 'Lists the sages that can be seated, with a description of each.',
      annotations: readOnly,
    },
    () =>
      resultOf(log, async () => {
        assertMay(caller, 'read');
        const { sages, presets } = await council.offered(caller);
        const named = sages.map(
          ({ key, name, description }) => `- ${key}: ${name}. ${description}`,
        );
        const saved = presets.map(({ label }) => `- ${label}`);
        return [...named, ...(saved.length === 0 ? [] : ['', 'Presets:', ...saved])].join('\n');
      }),
  );
  return server;
}

/** Runs a tool. Errors become its result; those that the caller can't fix are also logged. */
async function resultOf(log: Log, work: () => Promise<string>): Promise<CallToolResult> {
  try {
    return { content: [{ type: 'text', text: await work() }] };
  } catch (error) {
    return { content: [{ type: 'text', text: replyTo(error, log).message }], isError: true };
  }
}

/** Waits for a turn to end, within the time that clients wait. The turn continues if the client disconnects. */
async function resultOfTurn(
  options: CouncilServerOptions,
  turnId: string,
  { mcpReq }: ServerContext,
): Promise<string> {
  const { council, caller, calls } = options;
  const { answerWithinMs = defaultAnswerWithinMs, progressEveryMs = 10_000 } = options;
  const signal = AbortSignal.any([AbortSignal.timeout(answerWithinMs), mcpReq.signal]);
  let progress = notBegun;
  let count = 0;
  const report = async () => {
    const { progressToken } = mcpReq._meta ?? {};
    if (progressToken === undefined) return;
    count += 1;
    const params = { progressToken, progress: count, message: sentenceOf(progress) };
    await mcpReq.notify({ method: 'notifications/progress', params });
  };
  // Clients that wait on while there is progress may wait less than a model thinks.
  const repeat = setInterval(() => void report().catch(() => undefined), progressEveryMs);
  try {
    for await (const { event } of council.watch(caller, turnId, { signal })) {
      const before = sentenceOf(progress);
      progress = advance(progress, event);
      if (count === 0 || sentenceOf(progress) !== before) await report();
    }
  } finally {
    clearInterval(repeat);
  }
  const turn = await turnOrThrow(council, caller, turnId);
  const { end } = progress;
  if (!end) {
    return `The council is still at work. ${sentenceOf(progress)}\n\nCall get_turn with turn ${turnId} to wait for it.`;
  }
  calls?.forEach((id, call) => void (id === turnId && calls.delete(call)));
  return turnText(turn, end);
}

function sentenceOf(progress: TurnProgress): string {
  return progressSentence(progress, ({ sage }) => sage.name);
}

/** The verdict first, then each sage's answer, then how to continue. */
function turnText(
  { turnId, threadId, past }: Pick<WebTurn, 'turnId' | 'threadId' | 'past'>,
  { outcome, explanation }: TurnEnd,
): string {
  const { verdict, ranked, answers, seated, request } = past;
  const words = turnWordsIn(request.language);
  const nameOf = namesOf(seated?.seats.map(({ sage }) => sage) ?? []);
  const names = { nameOf, inert: oneLine, words };
  return [
    ...(outcome === 'answered'
      ? []
      : [
          `The council ${outcome === 'failed' ? 'failed' : 'was stopped'}. ${withIsoTimes(explanation)}`.trim(),
        ]),
    ...(verdict?.kind === 'synthesis' ? [`# ${words.verdict}`] : []),
    ...(verdict ? [verdictText(verdict, ranked, names)] : []),
    ...answers.map((answer) => answerText(answer, names)),
    `(Turn ${turnId}. To continue this conversation, pass thread ${partsOf(threadId).thread}.)`,
  ].join('\n\n');
}

/** Longer than a tool waits, so that the tool answers first. */
const withinMs = defaultAnswerWithinMs + 30_000;

export function mcpRoutes({ council, log }: Pick<WebParts, 'council' | 'log'>): WebRoutes {
  const app = new Hono<WebEnv>();
  const calls = new LRUCache<string, string>(mostCalls);
  app.all('/', async (context) => {
    const caller = callerIn(context);
    const serve = () => councilServer({ council, caller, log, calls });
    return createMcpHandler(serve).fetch(context.req.raw);
  });
  return { path: '/mcp', app, withinMs };
}
