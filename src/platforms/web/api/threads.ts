/** Routes for conversations and memory: list, read, export, search, import. */

import { createRoute, z } from '@hono/zod-openapi';
import { callerIn } from '../caller.ts';
import { exported, notFound, replyOrThrow } from '../council-replies.ts';
import { threadName } from '../question-fields.ts';
import { withIsoTimes } from '../refusals.ts';
import type { WebCouncil } from '../web-council.ts';
import {
  type Api,
  bodyIn,
  bodyOf,
  contentOf,
  failed,
  historyBody,
  ingestedBody,
  jsonOf,
  memoriesBody,
  messagesBody,
  threadsBody,
} from './schemas.ts';

const threadPath = z.object({ thread: threadName });
const mostTurns = 20;
const mostThreads = 100;

const page = (most: number) => ({
  before: z.coerce
    .number()
    .optional()
    .describe('Only what was asked earlier than this, in milliseconds since 1970'),
  limit: z.coerce.number().int().min(1).max(most).default(most),
});

const list = createRoute({
  method: 'get',
  path: '/threads',
  summary: 'List conversations, newest first',
  request: {
    query: z.object({
      ...page(mostThreads),
      search: z.string().max(1000).optional().describe('Words that a conversation must contain'),
    }),
  },
  responses: { 200: jsonOf('The conversations', threadsBody), default: failed },
});

const history = createRoute({
  method: 'get',
  path: '/threads/{thread}',
  summary: 'Read the turns of a conversation, newest first',
  request: { params: threadPath, query: z.object(page(mostTurns)) },
  responses: { 200: jsonOf('Its turns', historyBody), default: failed },
});

const exportThread = createRoute({
  method: 'get',
  path: '/threads/{thread}/export',
  summary: 'Export a conversation; `npm run council -- import` reads the json format',
  request: {
    params: threadPath,
    query: z.object({ format: z.enum(['markdown', 'json', 'html']).default('json') }),
  },
  responses: { 200: contentOf('*/*', 'The file'), default: failed },
});

const search = createRoute({
  method: 'get',
  path: '/memory',
  summary: 'Search the memory, as for a question',
  request: {
    query: z.object({
      search: z.string().min(1).max(1000),
      thread: threadName
        .optional()
        .describe('The conversation in which the question would be asked'),
    }),
  },
  responses: { 200: jsonOf('Best matches first', memoriesBody), default: failed },
});

const ingest = createRoute({
  method: 'post',
  path: '/ingest',
  summary: 'Import messages from elsewhere, to be remembered',
  request: { body: bodyIn('At most 1,000 messages', messagesBody) },
  responses: { 200: jsonOf('How many were stored', ingestedBody), default: failed },
});

/** Adds the routes. */
export function threadRoutes(api: Api, council: WebCouncil): void {
  api.openapi(list, async (context) => {
    const threads = await council.threads(callerIn(context), context.req.valid('query'));
    return context.json(threadsBody.parse({ threads }), 200);
  });

  api.openapi(history, async (context) => {
    const { thread } = context.req.valid('param');
    const asked = context.req.valid('query');
    const turns = await council.history(callerIn(context), thread, asked);
    if (turns.length === 0 && asked.before === undefined) throw notFound('conversation');
    return context.json({ thread, turns: turns.map(bodyOf) }, 200);
  });

  api.openapi(exportThread, async (context) => {
    const { thread } = context.req.valid('param');
    return exported(council, callerIn(context), thread, context.req.valid('query'));
  });

  api.openapi(search, async (context) => {
    const { search: what, thread: of } = context.req.valid('query');
    const { blocks } = await replyOrThrow(council, callerIn(context), 'read', {
      of,
      command: 'memory',
      options: { do: 'search', what },
    });
    const fields = blocks.flatMap((block) => (block.type === 'fields' ? block.fields : []));
    const memories = fields.map(({ name, value }) => ({ id: name, text: withIsoTimes(value) }));
    return context.json({ memories }, 200);
  });

  api.openapi(ingest, async (context) => {
    const { messages } = context.req.valid('json');
    return context.json(await council.ingest(callerIn(context), messages), 200);
  });
}
