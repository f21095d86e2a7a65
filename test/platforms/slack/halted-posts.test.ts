/** What a halted process had on its way, and says when it wakes: another process has the turn since. */

import { describe, expect, test } from 'vitest';
import type { TurnEvent } from '../../../src/council/events.ts';
import type { SlackApi } from '../../../src/platforms/slack/api/slack-api.ts';
import { SupersededError } from '../../../src/store/store.ts';
import { answered, answeredEnd, concluded, grew, seated } from '../terminal/turn-events.ts';
import { startTurn } from './shown-turn.ts';

const whole = [
  seated,
  answered('marcus_aurelius', 'Do your part, and no more.'),
  concluded(),
  answeredEnd,
];

type Turn = Awaited<ReturnType<typeof startTurn>>;

const superseded = async () => {
  throw new SupersededError('turn-1');
};

/** Calls back with the first post, or the first call of another method, while it is on its way. */
function atFirstPost(
  react: (post: () => Promise<unknown>) => Promise<unknown>,
  method = 'chat.postMessage',
) {
  let isFirst = true;
  return (api: SlackApi): SlackApi => ({
    async call(...call) {
      if (call[1] !== method || !isFirst) return api.call(...call);
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

  test('stays where it repeats another message word for word', async () => {
    const twice = `${'Say it plainly. '.repeat(500)}\n\n${'Say it plainly. '.repeat(500)}`;
    const events = [seated, answered('marcus_aurelius', twice), concluded(), answeredEnd];
    await using turn = await startTurn();
    let wasHalted = false;
    const through = (api: SlackApi): SlackApi => ({
      async call(...call) {
        const [, method, args] = call;
        const isSecond = JSON.stringify(args).includes('answer marcus_aurelius 2');
        if (method !== 'chat.postMessage' || !isSecond || wasHalted) return api.call(...call);
        const posted = await api.call(...call);
        await turn.show(events, { isResumed: true });
        wasHalted = true;
        return posted;
      },
    });
    const assertAwake = async () => (wasHalted ? superseded() : undefined);
    using presenter = await turn.open({ through, assertAwake, assertHeld: assertAwake });
    for (const event of events) presenter.take(event);
    await presenter.finish();
    const said = turn.said().filter(({ text }) => text.startsWith('Say it plainly.'));
    expect(said).toHaveLength(2);
    expect(turn.calls('chat.delete')).toEqual([]);
  });

  const long = `Do your part, and no more. ${'Say it plainly. '.repeat(900)}`;
  const speakers = [
    ['an answer', [grew('marcus_aurelius', 'Do your part, ')], ['Do your part']],
    ['the verdict', [{ type: 'verdict_grew', verdict: 'Do both, ' }], ['## Verdict', 'Verdict']],
  ] as const;
  const told = [seated, answered('marcus_aurelius', long), concluded(), answeredEnd];

  /** A process that is halted as it begins to speak, and wakes. */
  async function untilAwake(
    turn: Turn,
    growing: readonly TurnEvent[],
    meanwhile: (arrive: () => Promise<unknown>) => Promise<unknown>,
  ) {
    let wasHalted = false;
    const through = atFirstPost((arrive) => {
      wasHalted = true;
      return meanwhile(arrive);
    }, 'chat.startStream');
    const assertAwake = async () => (wasHalted ? superseded() : undefined);
    using presenter = await turn.open({ through, assertAwake, assertHeld: assertAwake });
    for (const event of [seated, ...growing]) presenter.take(event);
    await turn.slack.until(() => turn.calls('chat.startStream').length > 0, 'it has begun');
    for (const event of told) presenter.take(event);
    await presenter.finish();
  }

  const saidBy = (turn: Turn, begins: readonly string[]) =>
    turn.said().filter(({ text }) => begins.some((one) => text.startsWith(one)));

  test.each(speakers)('%s that has begun too late is taken back', async (_, growing, begins) => {
    await using turn = await startTurn();
    await untilAwake(turn, growing, async (arrive) => {
      await turn.show(told, { isResumed: true });
      await arrive();
    });
    expect(saidBy(turn, begins).map(({ streaming }) => streaming)).toEqual([undefined]);
    turn.slack.assertNoViolations();
  });

  test.each(speakers)('%s that its successor goes on with stays', async (_, growing, begins) => {
    await using turn = await startTurn();
    await untilAwake(turn, growing, async (arrive) => {
      await arrive();
      await turn.show(told, { isResumed: true });
    });
    expect(saidBy(turn, begins).map(({ streaming }) => streaming)).toEqual(['completed']);
    expect(turn.calls('chat.delete')).toEqual([]);
    turn.slack.assertNoViolations();
  });
});
