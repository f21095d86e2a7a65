import { expect, test } from 'vitest';
import { silentLog } from '../../../../src/domain/log.ts';
import type { Canvas, Canvases } from '../../../../src/platforms/chat/show/canvas.ts';
import { openPresenter } from '../../../../src/platforms/chat/show/turn-presenter.ts';
import type { PresentedTurn } from '../../../../src/platforms/platform.ts';

/** Whose posts hang until the signal is aborted. */
function hangingCanvases(): Canvases {
  return {
    platform: 'test',
    outageWaitsMs: [],
    personasOf: () => new Map(),
    open: async (_turn, _first, _posts, signal): Promise<Canvas> => ({
      grows: false,
      notes: [],
      progress: () => undefined,
      grow: () => undefined,
      say: () =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      finish: async () => undefined,
    }),
    tellAsker: async () => undefined,
    backOff: async () => undefined,
  };
}

test('a turn that is lost while the store is asked whom to tell leaves no rejection unhandled', async () => {
  const store = Promise.withResolvers<boolean>();
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  try {
    const ending = new AbortController();
    const turn: PresentedTurn = {
      request: {
        turnId: 'turn-1',
        threadId: 'test:stoa:general:1',
        eventId: '1',
        question: 'Is it late?',
        author: { id: 'ada', name: 'Ada' },
        askedAt: 0,
      },
      isResumed: false,
      followUpMode: 'mention',
      wasAsked: async () => false,
      wantsPing: () => store.promise,
      keepShownAt: async () => undefined,
      assertHeld: async () => undefined,
      assertNotLost: async () => undefined,
      assertAwake: async () => undefined,
    };
    const teller = await openPresenter(turn, ending.signal, hangingCanvases(), silentLog);
    teller.take({ type: 'ended', end: { outcome: 'answered', explanation: '' } });
    const finished = teller.finish();
    const taken = new Error('Taken over by another.');
    ending.abort(taken);
    await new Promise((resolve) => setImmediate(resolve));
    store.resolve(false);
    await expect(finished).rejects.toBe(taken);
    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', note);
  }
});
