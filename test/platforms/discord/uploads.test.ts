import { expect, test } from 'vitest';
import { DiscordRest } from '../../../src/platforms/discord/rest/discord-rest.ts';
import { serve } from '../../fakes/loopback.ts';

test('an upload that is cut off rejects only where it was asked for', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  try {
    const { origin } = await serve((incoming) => incoming.pause());
    const rest = new DiscordRest({ token: 'token', timeoutMs: 2000, api: `${origin}/api` });
    const files = ['one.png', 'two.png'].map((name) => ({ name, data: Buffer.alloc(300_000) }));
    for (let count = 0; count < 30; count += 1) {
      const ended = new AbortController();
      // Each at another moment of the upload.
      setTimeout(() => ended.abort(new Error('stopped')), count % 6);
      const upload = { method: 'POST', path: '/channels/1/messages', body: {}, files } as const;
      await expect(rest.within(ended.signal).once(upload)).rejects.toThrow('stopped');
    }
    await new Promise(setImmediate);
    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', note);
  }
});
