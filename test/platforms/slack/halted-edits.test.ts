/** What a halted process had edited when it went on: another process has shown the end since. */

import { expect, test } from 'vitest';
import type { openPresenter } from '../../../src/platforms/chat/show/turn-presenter.ts';
import type { SlackApi } from '../../../src/platforms/slack/api/slack-api.ts';
import { answered, answeredEnd, concluded, grew, seated } from '../terminal/turn-events.ts';
import { startTurn } from './shown-turn.ts';

const answer = 'Do your part, and no more.';
const whole = [seated, answered('marcus_aurelius', answer), concluded(), answeredEnd];
const told = { isResumed: true, isAlreadyShown: true } as const;

type Turn = Awaited<ReturnType<typeof startTurn>>;
type TurnPresenter = Awaited<ReturnType<typeof openPresenter>>;
type Call = readonly [team: string, method: string, args: unknown, ...signal: unknown[]];

const shown = (turn: Turn) => turn.said().map(({ text, blocks }) => ({ text, blocks }));

/**
 * Shows the beginning of the turn by a process that is halted with a call on its way; it arrives after
 * another process has shown the end.
 *
 * @param begin - Lets the process show that beginning.
 * @returns What the other process had shown.
 */
async function showHalted(
  turn: Turn,
  begin: (presenter: TurnPresenter) => Promise<void>,
  isHalting: (call: Call) => boolean,
): Promise<ReturnType<typeof shown>> {
  const ended = Promise.withResolvers<ReturnType<typeof shown>>();
  let isHalted = false;
  const through = (api: SlackApi): SlackApi => ({
    async call(...call) {
      if (isHalted || !isHalting(call)) return api.call(...call);
      isHalted = true;
      await turn.show(whole, { isResumed: true });
      const end = shown(turn);
      const late = await api.call(...call);
      ended.resolve(end);
      return late;
    },
  });
  using presenter = await turn.open({ through });
  await begin(presenter);
  return await ended.promise;
}

test('a progress message that a late edit has overwritten is drawn again as the turn ended', async () => {
  await using turn = await startTurn();
  const begin = async (presenter: TurnPresenter) => presenter.take(seated);
  const end = await showHalted(turn, begin, ([, method]) => method === 'chat.update');
  expect(shown(turn)).not.toEqual(end);
  await turn.show(whole, told);
  expect(shown(turn)).toEqual(end);
  turn.slack.assertNoViolations();
});

test('an answer that a late edit has cut short is drawn again as it is in the end', async () => {
  await using turn = await startTurn();
  const begin = async (presenter: TurnPresenter) => {
    presenter.take(seated);
    presenter.take(grew('marcus_aurelius', 'Do your '));
    await turn.slack.until(() => turn.calls('chat.startStream').length > 0, 'it has begun');
    // Slack takes no more appends then.
    turn.slack.clock.advance(6 * 60_000);
    presenter.take(grew('marcus_aurelius', 'Do your part, and '));
  };
  const end = await showHalted(
    turn,
    begin,
    ([, method, args]) => method === 'chat.update' && JSON.stringify(args).includes('Do your'),
  );
  expect(shown(turn)).not.toEqual(end);
  await turn.show(whole, told);
  expect(shown(turn)).toEqual(end);
  turn.slack.assertNoViolations();
});

test('a status that arrives after the end is cleared', async () => {
  await using turn = await startTurn();
  const status = () => turn.slack.assistant.statuses.at(-1)?.status;
  const begin = async (presenter: TurnPresenter) => presenter.take(seated);
  await showHalted(turn, begin, ([, method]) => method === 'assistant.threads.setStatus');
  expect(status()).toBe('is seating the sages…');
  await turn.show(whole, told);
  expect(status()).toBe('');
  turn.slack.assertNoViolations();
});

test('what people have deleted of a turn is not said again for that', async () => {
  await using turn = await startTurn();
  await turn.show(whole);
  const posts = turn.calls('chat.postMessage').length;
  const admin = turn.slack.addMember('Grace', { isAdmin: true });
  for (const message of turn.said()) await admin.deletes(turn.channel, message);
  await expect(turn.show(whole, told)).rejects.toThrow('posts nothing more');
  expect(turn.said()).toEqual([]);
  expect(turn.calls('chat.postMessage')).toHaveLength(posts);
});
