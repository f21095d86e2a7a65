import { describe, expect, test } from 'vitest';
import { type Caller, localCaller } from '../../src/platforms/web/caller.ts';
import { allOf } from '../platforms/web/web-world.ts';
import { openWebCouncil } from './open-web.ts';
import { startRehearsedModels } from './rehearsed-models.ts';

const signal = new AbortController().signal;
const foreign: Caller = { ...localCaller, workspace: 'other' };

describe('a council that is asked over the web', () => {
  test('is watched live, and told the same from the store to those who come later', async () => {
    const models = await startRehearsedModels();
    const { web, application } = await openWebCouncil(models.settings);
    const asked = await web.council.ask(localCaller, { question: 'Should we rewrite it?' });
    if (asked.status !== 'accepted') throw new Error(asked.status);
    const live = await allOf(web.council.watch(localCaller, asked.turnId, { signal }));
    const types = live.map(({ event }) => event.type);
    expect(types.filter((type) => type === 'answered')).toHaveLength(3);
    expect(types.at(-1)).toBe('ended');
    await application.queue.idle();
    const kept = await web.council.turn(localCaller, asked.turnId);
    expect(kept).toMatchObject({ status: 'ended', outcome: 'answered' });
    const later = await allOf(web.council.watch(localCaller, asked.turnId, { signal }));
    expect(later.map(({ event }) => event.type).filter((type) => type !== 'answer_grew')).toEqual(
      types.filter((type) => type !== 'answer_grew' && type !== 'verdict_grew'),
    );
  });

  test('is found again in the list of its workspace alone, by what was said', async () => {
    const models = await startRehearsedModels();
    const { web, application } = await openWebCouncil(models.settings);
    for (const [thread, question] of Object.entries({ tea: 'Which tea?', car: 'Which car?' })) {
      await web.council.ask(localCaller, { question, thread, depth: 'quick' });
      await application.queue.idle();
    }
    const titles = async (search: string, caller = localCaller) =>
      (await web.council.threads(caller, { limit: 10, search })).map(({ title }) => title);
    expect(await titles('')).toEqual(['Which car?', 'Which tea?']);
    expect(await titles('WHICH tea?')).toEqual(['Which tea?']);
    expect(await titles('', foreign)).toEqual([]);
    const [tea] = await web.council.threads(localCaller, { limit: 10, search: 'tea?' });
    const [turnId = ''] = tea?.turnIds ?? [];
    expect(await web.council.turn(foreign, turnId)).toBeUndefined();
    expect(await allOf(web.council.watch(foreign, turnId, { signal }))).toEqual([]);
    expect(await web.council.stop(foreign, turnId)).toBe(false);
  });

  test('is stopped, and says so to who watches', async () => {
    const models = await startRehearsedModels((name) =>
      name.startsWith('sage') ? { kind: 'hang' } : undefined,
    );
    const { web } = await openWebCouncil(models.settings);
    const asked = await web.council.ask(localCaller, { question: 'Should we rewrite it?' });
    if (asked.status !== 'accepted') throw new Error(asked.status);
    for await (const { event } of web.council.watch(localCaller, asked.turnId, { signal })) {
      if (event.type === 'sage_started') {
        await web.council.stop(localCaller, asked.turnId);
      }
      if (event.type === 'ended') expect(event.end.outcome).toBe('stopped');
    }
    expect(models.openCalls()).toBe(0);
  });
});
