/** People in two threads of a channel, in another channel and in another workspace, over each store that can forget. */

import type { Store } from '../../src/store/store.ts';
import { startOfTime } from '../contracts/store/case.ts';
import { imported } from '../contracts/store/samples.ts';
import { storeFixtures } from '../store/store-fixtures.ts';
import { askedTurn } from './forgetting.ts';

export const here = 'test:w:c:1';
export const beside = 'test:w:c:2';
export const other = 'test:w:d:1';
export const away = 'test:w2:c:1';

/** Two people in two threads of a channel, in another channel, and in another workspace. */
export async function fill(store: Store): Promise<void> {
  const said = [
    ...[['uma 1', here, 'uma'] as const, ['ben 2', here, 'ben'] as const],
    ...[['uma 3', here, 'uma'] as const, ['uma 4', beside, 'uma'] as const],
    ...[['uma 5', other, 'uma'] as const, ['ben 6', other, 'ben'] as const],
    ...[['uma 7', away, 'uma'] as const],
  ];
  for (const [turnId, threadId, personId] of said) {
    const createdAt = startOfTime + Number(turnId.at(-1));
    await askedTurn(store, turnId, { threadId, personId, createdAt, text: `Said in ${turnId}.` });
  }
  await store.messages.append([
    ...[imported('q', 'human', { threadId: here }), imported('a', 'ai', { threadId: here })],
  ]);
  const by = { setBy: 'ada', setAt: 1 };
  await store.settings.write('channel:test:w:c', { depth: 'quick' }, by);
  await store.settings.write('channel:test:w2:c', { depth: 'quick' }, by);
  await store.settings.write('workspace:test:w', { depth: 'deep' }, by);
  // Of a channel where no one has asked.
  await store.settings.write('channel:test:w:silent', { 'sage:x': { name: 'X' } }, by);
  await store.settings.write('channels:workspace:test:w', { 'channel:test:w:silent': true }, by);
  await store.settings.write('drafts:test:w:c', { uma: 'a draft', ben: 'another' }, by);
}

/** What is left, by turn id, and of which scopes. */
export async function left(store: Store) {
  const threads = [here, beside, other, away];
  const pages = await Promise.all(threads.map((one) => store.messages.page(one, { limit: 500 })));
  const scopes = [
    ...['channel:test:w:c', 'channel:test:w2:c', 'channel:test:w:silent', 'workspace:test:w'],
    ...['drafts:test:w:c', 'recent:test:w:uma', 'recent:test:w:ben', 'recent:test:w2:uma'],
  ];
  const settings = await store.settings.read(scopes);
  return {
    said: [...new Set(pages.flat().map(({ id, turnId }) => turnId ?? id))].toSorted(),
    settings: scopes.filter((_, at) => Object.keys(settings[at] ?? {}).length > 0),
    recent: Object.keys(settings[5] ?? {}).toSorted(),
    drafts: Object.keys(settings[4] ?? {}).toSorted(),
    due: await store.settings.read(['forgetting:due']),
  };
}

export const everything = ['a', 'ben 2', 'ben 6', 'q', 'uma 1', 'uma 3', 'uma 4', 'uma 5', 'uma 7'];
export const without = (...gone: readonly string[]) =>
  everything.filter((id) => !gone.includes(id));

type WithStore = (work: (store: Store) => Promise<void>) => Promise<void>;

/** By the name of the store: does work over a new one. */
export function overEach(): readonly (readonly [string, WithStore])[] {
  return Object.entries(storeFixtures()).map(([name, open]) => [
    name,
    async (work) => {
      const fixture = await open();
      try {
        await work(await fixture.open());
      } finally {
        await fixture.remove();
      }
    },
  ]);
}
