/** Callers of the web's JSON API, each with a key. */

import { z } from 'zod';
import type { NewKey } from '../../src/platforms/web/keys.ts';
import { keysIn } from '../platforms/web/keys-in.ts';
import { openWebCouncil } from './open-web.ts';
import { startRehearsedModels } from './rehearsed-models.ts';

const anyScopes = ['ask', 'read', 'ingest'] as const;
export const taken = z.object({ turnId: z.string(), thread: z.string(), isNew: z.boolean() });
export const errorForm = z.object({ error: z.object({ message: z.string(), code: z.string() }) });

/** A council on the web, and callers with a key each. */
export async function openApi(faults?: Parameters<typeof startRehearsedModels>[0]) {
  const models = await startRehearsedModels(faults);
  const { origin, application, web } = await openWebCouncil(models.settings);
  const keys = keysIn(application.store.settings);
  const caller = async (workspace: string, changes: Partial<NewKey> = {}) => {
    const scopes = [...anyScopes];
    const usual = { name: workspace, workspace, scopes, limits: {}, requestsPerMinute: 1000 };
    const { secret, id } = await keys.make({ ...usual, ...changes }, Date.now());
    const call = (method: string, path: string, body?: unknown, headers = {}) =>
      fetch(`${origin}/api${path}`, {
        method,
        headers: {
          authorization: `Bearer ${secret}`,
          'content-type': 'application/json',
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    return {
      id,
      call,
      get: (path: string, headers = {}) => call('GET', path, undefined, headers),
      json: async (path: string): Promise<unknown> => (await call('GET', path)).json(),
      ask: async (question: string, more = {}) =>
        taken.parse(await (await call('POST', '/turns', { question, ...more })).json()),
    };
  };
  return { models, web, origin, application, keys, caller, idle: () => application.queue.idle() };
}
