/** The council as tools of the Model Context Protocol: for one caller, and over HTTP. */

import {
  type CallToolResult,
  createMcpHandler,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { z } from 'zod';
import type { TurnEnd } from '../../council/events.ts';
import type { Log } from '../../domain/log.ts';
import { partsOf } from '../../domain/thread-id.ts';
import { verdictTitle } from '../../domain/turn-words.ts';
import { namesOf } from '../../domain/words.ts';
import { progressSentence } from '../chat/show/progress-words.ts';
import { advance, notBegun, type TurnProgress } from '../chat/show/turn-progress.ts';
import {
  certaintyLines,
  type VerdictMarkdownOptions,
  verdictMarkdown,
} from '../chat/show/verdict-words.ts';
import { assertMay, type Caller, callerIn, type WebEnv } from './caller.ts';
import { questionShape } from './question.ts';
import { inWords, replyTo, takenOrThrow } from './refusals.ts';
import type { WebRoutes } from './server.ts';
import type { WebCouncil, WebQuestion, WebTurn } from './web-council.ts';

export interface CouncilServerOptions {
  readonly council: WebCouncil;
  readonly caller: Caller;
  readonly log: Log;
  /** How long a tool waits for a turn to end, in milliseconds. */
  readonly answerWithinMs: number;
}

/** Clients give up after 60 s, whatever progress they hear of. */
export const answerWithinMs = 50_000;

const instructions =
  'A council of AI sages: several views, blind review, one verdict. A council takes one to three minutes. When a tool answers with the id of a turn that is not finished, call get_turn with it until the verdict is there; do not ask again.';

/** @returns A server that is not connected yet. */
export function councilServer(options: CouncilServerOptions): McpServer {
  const { council, caller } = options;
  const server = new McpServer({ name: 'council', version: '1' }, { instructions });
  const readOnly = { readOnlyHint: true, openWorldHint: false };

  server.registerTool(
    'consult_council',
    {
      title: 'Consult the council',
      description:
        'Puts a question to several sages who answer independently, review each other blind and end in one verdict with its minority report.',
      inputSchema: z.object(questionShape),
    },
    (asked, context) => told(options, () => consult(options, asked, context)),
  );
  server.registerTool(
    'ask_sage',
    {
      title: 'Ask one sage',
      description: 'Puts a question to one sage alone, who speaks without a verdict.',
      inputSchema: z.object({
        sage: z.string().describe('Key, as list_sages gives it'),
        ...{ question: questionShape.question, thread: questionShape.thread },
      }),
    },
    ({ sage, ...asked }, context) =>
      told(options, () => consult(options, { ...asked, sages: [sage] }, context)),
  );
  server.registerTool(
    'get_turn',
    {
      title: 'Read a turn',
      description: 'Waits for a question that was asked before, and gives what came of it.',
      inputSchema: z.object({ turn: z.string().min(1).max(200).describe('Id of the turn') }),
      annotations: readOnly,
    },
    ({ turn }, context) => told(options, () => awaited(options, turn, context)),
  );
  server.registerTool(
    'list_sages',
    {
      title: 'List the sages',
      description: 'Who may sit in this council, and what each is for.',
      annotations: readOnly,
    },
    () =>
      told(options, async () => {
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

/** What a tool says; what the caller can fix is said as its error, and what not, logged. */
async function told(
  { log }: Pick<CouncilServerOptions, 'log'>,
  work: () => Promise<string>,
): Promise<CallToolResult> {
  const say = (text: string, isError: boolean): CallToolResult => ({
    content: [{ type: 'text', text }],
    ...(isError && { isError }),
  });
  try {
    return say(await work(), false);
  } catch (error) {
    return say(replyTo(error, log).message, true);
  }
}

async function consult(
  options: CouncilServerOptions,
  asked: WebQuestion,
  context: ServerContext,
): Promise<string> {
  const { council, caller } = options;
  const { turnId } = takenOrThrow(await council.ask(caller, asked));
  return awaited(options, turnId, context);
}

/** Waits for a turn to end, for as long as clients wait; a client that goes away leaves it running. */
async function awaited(
  { council, caller, answerWithinMs }: CouncilServerOptions,
  turnId: string,
  { mcpReq }: ServerContext,
): Promise<string> {
  const signal = AbortSignal.any([AbortSignal.timeout(answerWithinMs), mcpReq.signal]);
  const report = reporter(mcpReq);
  let progress = notBegun;
  for await (const { event } of council.watch(caller, turnId, { signal })) {
    progress = advance(progress, event);
    await report(progress);
  }
  const turn = await council.turn(caller, turnId);
  if (!turn) throw new HTTPException(404, { message: `There is no turn ${turnId} here.` });
  const { end } = progress;
  if (end) return turnText(turn, end);
  return `The council is still at work. ${sentenceOf(progress)}\n\nCall get_turn with turn ${turnId} to wait for it.`;
}

/** Tells a client that has asked for it how far a turn is, whenever that changes. */
function reporter({ _meta, notify }: ServerContext['mcpReq']) {
  const token = _meta?.progressToken;
  let said = '';
  let count = 0;
  return async (progress: TurnProgress) => {
    const message = sentenceOf(progress);
    if (token === undefined || message === said) return;
    said = message;
    count += 1;
    const params = { progressToken: token, progress: count, message };
    await notify({ method: 'notifications/progress', params });
  };
}

function sentenceOf(progress: TurnProgress): string {
  return progressSentence(progress, ({ sage }) => sage.name);
}

/** The verdict first, then what each sage said, then how to go on. */
function turnText(
  { turnId, threadId, past }: Pick<WebTurn, 'turnId' | 'threadId' | 'past'>,
  { outcome, explanation }: TurnEnd,
): string {
  const { verdict, ranked, answers, seated } = past;
  const nameOf = namesOf(seated?.seats.map(({ sage }) => sage) ?? []);
  // Nothing is drawn of it: it can stay as it was written.
  const asWritten: VerdictMarkdownOptions = {
    inert: (line) => line,
    inertBody: (text) => text,
    nameOf,
  };
  const given = answers.filter(({ status }) => status === 'answered');
  const failed = answers.filter(({ status }) => status === 'failed');
  return [
    ...(outcome === 'answered'
      ? []
      : [`The council was ${outcome}. ${inWords(explanation)}`.trim()]),
    ...(verdict
      ? [
          `# ${verdictTitle(verdict)}`,
          verdictMarkdown(verdict, asWritten),
          ...certaintyLines(verdict, ranked, asWritten.inert),
        ]
      : []),
    ...given.map(({ sage, answer }) => `## ${nameOf(sage)}\n${answer}`),
    ...failed.map(({ sage, answer }) => `## ${nameOf(sage)}\n(${answer})`),
    `(Turn ${turnId}. To go on with this conversation, give thread ${partsOf(threadId).thread}.)`,
  ].join('\n\n');
}

/** A tool's own answer comes first. */
const withinMs = answerWithinMs + 30_000;

export function mcpRoutes({
  council,
  log,
}: {
  readonly council: WebCouncil;
  readonly log: Log;
}): WebRoutes {
  const app = new Hono<WebEnv>();
  app.all('/', async (context) => {
    const caller = callerIn(context);
    const serve = () => councilServer({ council, caller, log, answerWithinMs });
    return createMcpHandler(serve).fetch(context.req.raw);
  });
  return { path: '/mcp', app, withinMs };
}
