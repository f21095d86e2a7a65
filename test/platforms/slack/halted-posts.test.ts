/** What a halted process had on its way, and says when it wakes: another process has the turn since. */

import { describe, expect, test } from 'vitest';
import type { SlackApi } from '../../../src/platforms/slack/api/slack-api.ts';
import { SupersededError } from '../../../src/store/store.ts';
import { answered, answeredEnd, concluded, seated } from '../terminal/turn-events.ts';
import { startTurn } from './shown-turn.ts';

const whole = [
  seated,
  answered('marcus_aurelius', 'Do your part, and no more.'),
  concluded(),
  answeredEnd,
];

const superseded = async () => {
  throw new SupersededError('turn-1');
};

/** Calls back with the first post while it is on its way. */
function atFirstPost(react: (post: () => Promise<unknown>) => Promise<unknown>) {
  let isFirst = true;
  return (api: SlackApi): SlackApi => ({
    async call(...call) {
      if (call[1] !== 'chat.postMessage' || !isFirst) return api.call(...call);
      isFirst = false;
      const posted = Promise.withResolvers<Awaited<ReturnType<SlackApi['call']>>>();
      await react(async () => posted.resolve(await api.call(...call)));
      return posted.promise;
    },
  });
}

describe('what a halted process had on its way when another took its turn', () => {
  test('is taken back where the other had looked before it came, and said the same', async () => {
    await using turn = await startTurn();
    const through = atFirstPost(async (post) => {
      await turn.show(whole, { isResumed: true });
      await post();
    });
    await expect(turn.open({ through, assertAwake: superseded })).rejects.toThrow(SupersededError);
    const cards = turn.said().filter(({ text }) => text.includes('The council has answered.'));
    expect(cards).toHaveLength(1);
    expect(turn.said()).toHaveLength(3);
  });

  test('is taken back also where it came before the other had posted', async () => {
    await using turn = await startTurn();
    const through = atFirstPost(async (post) => {
      // Not resumed: as one that has looked already.
      await post();
      await turn.show(whole);
    });
    await expect(turn.open({ through, assertAwake: superseded })).rejects.toThrow(SupersededError);
    expect(turn.said()[0]?.text).toContain('The council has answered.');
    expect(turn.said()).toHaveLength(3);
  });

  test('stays where the other has found it and goes on with it', async () => {
    await using turn = await startTurn();
    const through = atFirstPost(async (post) => {
      await post();
      await turn.show(whole, { isResumed: true });
    });
    await expect(turn.open({ through, assertAwake: superseded })).rejects.toThrow(SupersededError);
    expect(turn.said()[0]?.text).toContain('The council has answered.');
    expect(turn.said()).toHaveLength(3);
  });
});
