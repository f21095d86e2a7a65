import OpenAI, { APIError } from 'openai';
import { describe, expect, test } from 'vitest';
import { localCaller } from '../../src/platforms/web/caller.ts';
import { hanging, openV1 as open } from './open-v1.ts';

describe('a response that was asked for before', () => {
  const input = 'Should we rewrite it?';

  async function asked(request: object = {}) {
    const opened = await open();
    const { openai, application } = opened;
    const more = { instructions: 'Answer in French.', ...request };
    const first = await openai.responses.create({ model: 'council-quick', input, ...more });
    await application.queue.idle();
    return { ...opened, first };
  }

  test('is read as it was answered', async () => {
    const { openai, first } = await asked();
    const again = await openai.responses.retrieve(first.id);
    expect(again.completed_at).toBeGreaterThanOrEqual(again.created_at);
    const { created_at: created, completed_at: completed } = first;
    expect(again).toEqual({
      ...first,
      created_at: expect.any(Number),
      completed_at: expect.any(Number),
    });
    expect([Math.abs(again.created_at - created) < 5, completed !== null]).toEqual([true, true]);
  });

  test.each([
    ['sage/ben', 'sage/ben'],
    ['council', 'council'],
  ])('has the name of whom it asked: %s', async (model, named) => {
    const { openai, first } = await asked({ model });
    expect((await openai.responses.retrieve(first.id)).model).toBe(named);
  });

  test('is told as under way while it is, and as failed where it failed', async () => {
    const { openai, models, web, application } = await open(hanging);
    const leaving = new AbortController();
    openai.responses
      .create({ model: 'council', input }, { signal: leaving.signal })
      .catch(() => undefined);
    await expect.poll(() => models.openCalls()).toBe(3);
    const [thread] = await web.council.threads(localCaller, { limit: 1 });
    const id = `resp_${thread?.turnIds[0]}`;
    const running = await openai.responses.retrieve(id);
    expect(running).toMatchObject({ status: 'in_progress', output: [], completed_at: null });
    leaving.abort();
    await application.queue.idle();
    const stopped = await openai.responses.retrieve(id);
    expect(stopped).toMatchObject({ status: 'failed', error: { code: 'council_stopped' } });
  });

  test('is deleted with all that was kept of it', async () => {
    const { openai, first, web } = await asked();
    await openai.responses.delete(first.id);
    const after = [
      openai.responses.retrieve(first.id),
      openai.responses.delete(first.id),
      openai.responses.create({ model: 'council', input, previous_response_id: first.id }),
    ];
    for (const one of after) await expect(one).rejects.toMatchObject({ status: 404 });
    expect(await web.council.threads(localCaller, { limit: 10 })).toEqual([]);
  });

  test('is there for its own key alone', async () => {
    const { openai, web, first, baseURL, keys } = await asked();
    const scopes = ['ask' as const];
    const wished = {
      name: 'other',
      workspace: 'local',
      scopes,
      limits: {},
      requestsPerMinute: 100,
    };
    const other = await keys.make(wished, Date.now());
    const theirs = new OpenAI({ baseURL, apiKey: other.secret });
    const api = await web.council.ask(localCaller, { question: 'Not a response.' });
    const ids = ['resp_nothing', 'chatcmpl-1', 'resp_', first.id];
    for (const id of ids) {
      for (const what of [theirs.responses.retrieve(id), theirs.responses.delete(id)]) {
        const error = await what.catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(APIError);
        const shape = { status: 404, code: 'response_not_found', type: 'invalid_request_error' };
        expect(error).toMatchObject({ ...shape, param: 'response_id' });
      }
    }
    const unable = await keys.make({ ...wished, scopes: ['ingest'] }, Date.now());
    const reading = new OpenAI({ baseURL, apiKey: unable.secret }).responses.retrieve(first.id);
    await expect(reading).rejects.toMatchObject({ status: 403, code: 'forbidden' });
    const ofApi = api.status === 'accepted' ? `resp_${api.turnId}` : '';
    await expect(openai.responses.retrieve(ofApi)).rejects.toMatchObject({ status: 404 });
    expect((await openai.responses.retrieve(first.id)).status).toBe('completed');
  });
});
