import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { silentLog } from '../../../src/domain/log.ts';
import { localCaller, type WebEnv } from '../../../src/platforms/web/caller.ts';
import { apiRoutes } from '../../../src/platforms/web/web.ts';
import type { WebCouncil } from '../../../src/platforms/web/web-council.ts';
import { seated } from '../terminal/turn-events.ts';
import { askedTurn, openWeb } from './web-world.ts';

test('a reader who goes away is told nothing more, and holds nothing', async () => {
  const gone = Promise.withResolvers<void>();
  const { web } = await openWeb([askedTurn('t1')]);
  const council: WebCouncil = {
    ...web.council,
    ingress: web.council.ingress,
    async *watch(_caller, _turnId, { signal }) {
      signal.addEventListener('abort', () => gone.resolve());
      yield { id: '1', event: seated };
      await gone.promise;
    },
  };
  const app = new Hono<WebEnv>();
  app.use(async (context, next) => {
    context.set('caller', localCaller);
    await next();
  });
  app.route('/', apiRoutes({ council, log: silentLog }).app);
  const { body } = await app.request('/turns/t1/events');
  const reader = body?.getReader();
  const first = await reader?.read();
  expect(new TextDecoder().decode(first?.value)).toMatch(/^event: seated\ndata: \{/);
  await reader?.cancel();
  await gone.promise;
});
