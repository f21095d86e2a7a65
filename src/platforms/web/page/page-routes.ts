/** The pages for people. */

import { Hono } from 'hono';
import type { WebEnv } from '../caller.ts';
import type { WebRoutes } from '../server.ts';
import type { WebGround } from '../web.ts';

export function pageRoutes({ council }: Pick<WebGround, 'council'>): WebRoutes {
  const app = new Hono<WebEnv>();
  app.get('/', async (context) => {
    const { caller } = context.var;
    if (!caller) return context.text('Send a key: Authorization: Bearer …', 401);
    const threads = await council.threads(caller, { limit: 20 });
    return context.text(['The council listens.', ...threads.map(({ title }) => title)].join('\n'));
  });
  return { path: '/', app };
}
