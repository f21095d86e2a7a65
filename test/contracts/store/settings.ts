import { expect } from 'vitest';
import { handClock, hourMs, type StoreCase, startOfTime } from './case.ts';

const ada = { setBy: 'ada', setAt: 1000 };
const bob = { setBy: 'bob', setAt: 2000 };

export const settingsCases: readonly StoreCase[] = [
  {
    name: 'reads no settings where none were made, in the order asked for',
    async run(place) {
      const store = await place.open();
      await store.settings.write('channel:1', { depth: 'quick' }, ada);
      const depth = { depth: { value: 'quick', ...ada } };
      expect(await store.settings.read(['workspace:1', 'channel:1', 'channel:2'])).toEqual([
        {},
        depth,
        {},
      ]);
      expect(await store.settings.read(['channel:1', 'channel:1'])).toEqual([depth, depth]);
      expect(await store.settings.read([])).toEqual([]);
    },
  },
  {
    name: 'sets the named settings and leaves the others',
    async run(place) {
      const store = await place.open();
      await store.settings.write('channel:1', { depth: 'quick', maxSages: 4 }, ada);
      await store.settings.write('channel:1', { depth: 'standard' }, bob);
      expect(await store.settings.read(['channel:1'])).toEqual([
        { depth: { value: 'standard', ...bob }, maxSages: { value: 4, ...ada } },
      ]);
    },
  },
  {
    name: 'removes a setting that is set to null',
    async run(place) {
      const store = await place.open();
      await store.settings.write('channel:1', { depth: 'quick', maxSages: 4 }, ada);
      await store.settings.write('channel:1', { depth: null, unheard: null }, bob);
      const [settings] = await store.settings.read(['channel:1']);
      expect(Object.keys(settings ?? {})).toEqual(['maxSages']);
    },
  },
  {
    name: 'sets nothing where more settings would be named alike than the caller allows',
    async run(place) {
      const clock = handClock();
      const store = await place.open({ now: clock.now });
      const { settings } = store;
      const limit = { prefix: 'sage:', most: 2 };
      const namesIn = async () => Object.keys((await settings.read(['channel:1']))[0] ?? {});
      await settings.write('channel:1', { 'sage:a': 1, depth: 'quick' }, ada, limit);
      const writes = ['b', 'c', 'd'].map((name) =>
        settings.write('channel:1', { [`sage:${name}`]: name }, bob, limit),
      );
      expect(await Promise.all(writes)).toEqual([true, false, false]);
      expect(await settings.write('channel:1', { 'sage:b': 2 }, bob, limit)).toBe(true);
      expect(await settings.write('channel:1', { 'sage:c': 3, depth: null }, bob, limit)).toBe(
        false,
      );
      expect((await namesIn()).toSorted()).toEqual(['depth', 'sage:a', 'sage:b']);
      const replaced = { 'sage:a': null, 'sage:c': 3 };
      expect(await settings.write('channel:1', replaced, bob, limit)).toBe(true);
      const soon = { ...ada, expiresAt: startOfTime + hourMs };
      await settings.write('channel:1', { 'sage:b': 2 }, soon, limit);
      clock.advance(hourMs);
      expect(await settings.write('channel:1', { 'sage:e': 5 }, bob, limit)).toBe(true);
      expect((await namesIn()).toSorted()).toEqual(['depth', 'sage:c', 'sage:e']);
    },
  },
  {
    name: 'limits all settings of a scope, however many are written at once, until they expire',
    async run(place) {
      const clock = handClock();
      const { settings } = await place.open({ now: clock.now });
      const limit = { prefix: '', most: 2 };
      const write = (name: string) => {
        const by = { ...ada, expiresAt: clock.now() + hourMs };
        return settings.write('rate:ada', { [name]: 1 }, by, limit);
      };
      const written = await Promise.all(['a', 'a', 'b', 'c', 'd', 'b'].map(write));
      expect(written).toEqual([true, true, true, false, false, true]);
      clock.advance(hourMs);
      expect(await write('e')).toBe(true);
    },
  },
  {
    name: 'gives back any value exactly, under any name',
    async run(place) {
      const store = await place.open();
      const values = {
        constructor: false,
        'a name, with: signs': '',
        number: 0.1,
        sages: [{ key: 'nassim_taleb', aliases: [], prompt: null }],
        numeric: '12',
      };
      await store.settings.write('channel:1', values, ada);
      const [settings = {}] = await store.settings.read(['channel:1']);
      for (const [name, value] of Object.entries(values)) {
        expect(settings[name]).toStrictEqual({ value, ...ada });
      }
    },
  },
  {
    name: 'forgets a setting that was written to expire, and keeps those beside it',
    async run(place) {
      const clock = handClock();
      const store = await place.open({ now: clock.now });
      const expiresAt = startOfTime + hourMs;
      await store.settings.write('rate:ada', { one: 1 }, { ...ada, expiresAt });
      await store.settings.write('rate:ada', { two: 2 }, { ...bob, expiresAt: expiresAt + 1 });
      await store.settings.write('rate:ada', { stays: 3 }, ada);
      clock.advance(hourMs - 1);
      expect(await store.settings.read(['rate:ada'])).toEqual([
        { one: { value: 1, ...ada }, two: { value: 2, ...bob }, stays: { value: 3, ...ada } },
      ]);
      clock.advance(1);
      expect(await store.settings.read(['rate:ada'])).toEqual([
        { two: { value: 2, ...bob }, stays: { value: 3, ...ada } },
      ]);
      await store.settings.write('rate:ada', { two: 4 }, bob);
      clock.advance(hourMs);
      const [kept = {}] = await store.settings.read(['rate:ada']);
      expect(Object.keys(kept).toSorted()).toEqual(['stays', 'two']);
      await store.sweep(100);
      expect(await store.settings.read(['rate:ada'])).toEqual([kept]);
    },
  },
  {
    name: 'takes settings that expire beside one whose text was cut in the midst of a sign',
    async run(place) {
      const store = await place.open();
      const expiresAt = startOfTime + hourMs;
      await store.settings.write('rate:ada', { text: '🦉'.slice(0, 1) }, ada);
      await store.settings.write('rate:ada', { one: 1 }, { ...ada, expiresAt });
      await store.settings.write('rate:ada', { text: 'whole' }, ada);
      expect(await store.settings.read(['rate:ada'])).toEqual([
        { text: { value: 'whole', ...ada }, one: { value: 1, ...ada } },
      ]);
    },
  },
];
