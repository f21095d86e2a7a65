import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { linkSignals } from '../src/waiting.ts';

test('a linked signal is aborted with the reason of the first source that is', () => {
  const stop = new AbortController();
  const shutdown = new AbortController();
  using linked = linkSignals(stop.signal, undefined, shutdown.signal);
  expect(linked.signal.aborted).toBe(false);
  shutdown.abort('shutting down');
  stop.abort('stopped');
  expect(linked.signal.reason).toBe('shutting down');
});

test('a linked signal is aborted from the beginning where a source already is', () => {
  const stop = new AbortController();
  using linked = linkSignals(stop.signal, AbortSignal.abort('over'));
  expect(linked.signal.reason).toBe('over');
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
});

test('once disposed of, a linked signal leaves nothing at its sources and stays as it is', () => {
  const source = new AbortController();
  const linked = linkSignals(source.signal);
  expect(getEventListeners(source.signal, 'abort')).toHaveLength(1);
  linked[Symbol.dispose]();
  expect(getEventListeners(source.signal, 'abort')).toHaveLength(0);
  source.abort();
  expect(linked.signal.aborted).toBe(false);
});
