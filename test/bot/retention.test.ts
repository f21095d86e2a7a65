import { expect, test } from 'vitest';
import type { Place } from '../../commands/command.ts';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import { fileSettings, question, startBot } from './bot-fixture.ts';
import {
  channelManager,
  command,
  formOf,
  here,
  placeIn,
  serverManager,
  textOf,
} from './commanding.ts';

const dayMs = 86_400_000;
const elsewhere = placeIn('c', 'w2');
const asked = 'May the dredger rest on Sundays?';
const said = 'Rest it, says the harbour.';
const trace = /dredger|harbour/i;

/** A bot that was asked the same in two workspaces, and has an answer to one thing more in each. */
async function askedInTwo(retentionDays: number | 'unlimited' = 'unlimited') {
  let time = Date.UTC(2026, 10, 20, 10);
  const models = scriptedModels({
    sages: { ben: [said, said, 'Later.', 'Later.'].map((text) => answer(text)) },
  });
  const settings = { ...fileSettings, retentionDays };
  const started = await startBot(models, { now: () => time, settings });
  const ask = async ({ threadId }: Place, eventId: string, text: string) => {
    const given = { ...question, threadId, eventId, question: text, sages: ['ben'] };
    const taken = await started.bot.ask({ ...given, askedAt: time });
    await started.idle();
    return taken.status === 'accepted' ? taken.turnId : '';
  };
  const turnIds = new Map<Place, string>();
  for (const place of [here, elsewhere]) {
    turnIds.set(place, await ask(place, `first in ${place.workspace}`, asked));
  }
  const keepFor = (days: string) =>
    command(
      started.bot,
      'config',
      { change: `set retentionDays ${days}`, scope: 'server' },
      serverManager,
    );
  const advance = (milliseconds: number) => {
    time += milliseconds;
  };
  return { ...started, models, ask, turnIds, keepFor, advance };
}

type Two = Awaited<ReturnType<typeof askedInTwo>>;

/** All that people and sages are shown of what was said in a place. */
async function shownIn({ bot, ask, models, turnIds }: Two, place: Place) {
  const turn = turnIds.get(place) ?? '';
  const shown = async (name: string, options = {}) =>
    textOf(await command(bot, name, options, channelManager, place));
  const texts = {
    'the list of memories': await shown('memory'),
    'a search': await shown('memory', { do: 'search', what: 'dredger' }),
    'the receipt': await shown('receipt', { turn }),
    'the export of the thread': await shown('export', { format: 'json' }),
    'the export of the channel': await shown('export', { format: 'json', scope: 'channel' }),
    'the prompt of the next question': '',
  };
  await ask(place, `next in ${place.workspace}`, 'And on Mondays?');
  const last = models.sage({ key: 'ben' }).requests.at(-1);
  return { ...texts, 'the prompt of the next question': JSON.stringify(last?.messages) };
}

test('a server that keeps a day shows nothing of the day before, and others lose nothing', async () => {
  const started = await askedInTwo();
  const told = textOf(await started.keepFor('1'));
  expect(told).toContain(
    'Changed: retentionDays. Everything older than 1 day is hidden in all channels at once, and its deletion begins within a minute.',
  );
  expect(told).not.toContain('applies from the next');
  started.advance(dayMs + 1);
  for (const [place, text] of Object.entries(await shownIn(started, here))) {
    expect(text, place).not.toMatch(trace);
  }
  for (const [place, text] of Object.entries(await shownIn(started, elsewhere))) {
    expect(text, place).toMatch(place === 'the receipt' ? /ben/i : trace);
  }
  while ((await started.store.sweep(100)) > 0);
  const left = await started.store.messages.threads('test:w2', { limit: 9 });
  expect(left.threadIds).toEqual([elsewhere.threadId]);
});

test('what is kept for longer again is recalled again, as long as it is not deleted', async () => {
  const started = await askedInTwo();
  const search = async () =>
    textOf(await command(started.bot, 'memory', { do: 'search', what: 'dredger' }));
  expect(await search()).toMatch(/harbour/);
  await started.keepFor('1');
  started.advance(dayMs + 1);
  expect(await search()).not.toMatch(/harbour/);
  await started.keepFor('2');
  expect(await search()).toMatch(/harbour/);
  await started.keepFor('1');
  await started.store.sweep(100);
  expect(textOf(await started.keepFor('unlimited'))).not.toContain('hidden');
  expect(await search()).not.toMatch(/harbour/);
});

test('a server keeps nothing for longer than the operator, and is told so', async () => {
  const started = await askedInTwo(30);
  const refused = textOf(await started.keepFor('31'));
  expect(refused).toContain('Expected: a whole number from 1 to 30 (days)');
  expect(refused).toContain('The operator keeps nothing for longer (memory.retentionDays).');
  expect(formOf(await started.keepFor('30')).get('retentionDays')).toMatchObject({ value: '30' });
});

test('no channel has a retention of its own, nor shows one, and who wants one is told where', async () => {
  const { bot, store } = await startBot(scriptedModels({}));
  const form = formOf(await command(bot, 'config', {}, channelManager));
  expect(form.has('retentionDays')).toBe(false);
  for (const change of ['set retentionDays 3', 'reset retentionDays']) {
    const refused = textOf(await command(bot, 'config', { change }, serverManager));
    expect(refused).toContain('It is set for the whole server or workspace, with scope server.');
  }
  await command(bot, 'config', { change: 'reset all' }, channelManager);
  expect(await store.settings.read(['channel:test:w:c'])).toEqual([{}]);
  const denied = { change: 'set retentionDays 3', scope: 'server' };
  expect(textOf(await command(bot, 'config', denied, channelManager))).toContain(
    'Only those who may manage the whole server',
  );
});

test('what leads to a person’s latest questions goes with them, and leaves no id', async () => {
  const { store, ask, advance } = await askedInTwo(1);
  const recent = async () =>
    Object.keys((await store.settings.read(['recent:test:w:u1']))[0] ?? {});
  advance(dayMs - 1000);
  const newest = await ask(here, 'late', 'And on Mondays?');
  expect(await recent()).toHaveLength(2);
  advance(2000);
  expect(await recent()).toEqual([newest]);
});
