import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { Notes, type Store } from '../../src/store/store.ts';

let store: Store;
let now: number;

beforeEach(() => {
  now = 1000;
  store = openSqliteStore({ path: ':memory:', now: () => now });
});
afterEach(() => store.close());

function notes(keptMs?: number): Notes {
  const options = { now: () => now, ...(keptMs !== undefined && { keptMs }) };
  return new Notes(store.settings, 'work:due', options);
}

describe('notes', () => {
  test('are listed by name, replaced and dropped in one step', async () => {
    expect(await notes().list()).toEqual(new Map());
    await notes().put({ one: { tries: 0 }, two: true });
    await notes().put({ one: { tries: 1 }, two: null, three: 'x' });
    expect(await notes().list()).toEqual(
      new Map<string, unknown>([
        ['one', { tries: 1 }],
        ['three', 'x'],
      ]),
    );
  });

  test('go by name, or all at once', async () => {
    await notes().put({ one: 1, two: 2, three: 3 });
    await notes().drop(['one', 'unknown']);
    expect(await notes().list()).toEqual(
      new Map([
        ['two', 2],
        ['three', 3],
      ]),
    );
    await notes().clear();
    expect(await notes().list()).toEqual(new Map());
  });

  test('ask nothing of the store where there is nothing to drop', async () => {
    const asked: string[] = [];
    const settings = { ...store.settings, write: async (scope: string) => asked.push(scope) > 0 };
    const silent = new Notes(settings, 'work:due', { now: () => now });
    await silent.drop([]);
    await silent.clear();
    expect(asked).toEqual([]);
  });

  test('are absent once their time is over', async () => {
    await notes(500).put({ soon: 1 });
    await notes().put({ stays: 1 });
    now += 500;
    expect([...(await notes().list()).keys()]).toEqual(['stays']);
  });

  test('carry no author but the bot', async () => {
    await notes().put({ one: 1 });
    const [kept] = await store.settings.read(['work:due']);
    expect(kept).toEqual({ one: { value: 1, setBy: 'bot', setAt: 1000 } });
  });
});
