import { describe, expect, test } from 'vitest';
import type { TurnEvent } from '../../../src/council/events.ts';
import type { SlackApi } from '../../../src/platforms/slack/api/slack-api.ts';
import type { Fault } from '../../fakes/slack/api/faults.ts';
import { usualScopes } from '../../fakes/slack/world/app.ts';
import {
  answered,
  answeredEnd,
  concluded,
  grew,
  ranked,
  reviewed,
  seated,
} from '../terminal/turn-events.ts';
import { botName, startTurn, startTurns } from './shown-turn.ts';
import { marcusName, talebName } from './turn-script.ts';

const seating: readonly TurnEvent[] = [
  { type: 'stage_started', stage: 'moderator' },
  seated,
  { type: 'stage_started', stage: 'sages' },
];
const answers: readonly TurnEvent[] = [
  answered('marcus_aurelius', 'Do your part, and no more.'),
  answered('nassim_taleb', 'Bet small, and often.'),
];
const outcome: readonly TurnEvent[] = [
  reviewed('marcus_aurelius'),
  reviewed('nassim_taleb'),
  ranked,
  concluded(),
  answeredEnd,
];
const afterRestart = [...seating, ...answers, ...outcome];

/** For a Slack that is silent once. */
const impatient = { timeoutMs: 2000 };

/** What everybody should see in the end, in whichever order the two have begun. */
function expectWhole(said: readonly { readonly author: string; readonly text: string }[]): void {
  expect(said).toHaveLength(4);
  const [progress, one, other, verdict] = said;
  expect(progress?.author).toBe(botName);
  expect(progress?.text).toContain('The council has answered.');
  const answersSeen = new Map([one, other].map((answer) => [answer?.author, answer?.text]));
  expect(answersSeen.get(marcusName)).toBe('Do your part, and no more.');
  expect(answersSeen.get(talebName)).toBe('Bet small, and often.');
  expect(verdict?.author).toBe(botName);
  expect(verdict?.text).toContain('Do both.');
}

describe('a turn in Slack, when things go wrong,', () => {
  test('is whole and said once, wherever the process was killed', async () => {
    await using turns = await startTurns();
    /** Shows a turn with streams until the process dies at one call, then once more. Gives the methods called. */
    const showTwice = async (diesAt: number, isCarriedOut: boolean) => {
      const turn = await turns.ask();
      const died = Promise.withResolvers<void>();
      const calls: string[] = [];
      const mortal = (api: SlackApi): SlackApi => ({
        call: async (...call) => {
          calls.push(call[1]);
          if (calls.length < diesAt) return api.call(...call);
          if (calls.length === diesAt && isCarriedOut) await api.call(...call);
          died.resolve();
          return new Promise(() => undefined);
        },
      });
      const live = async () => {
        const presenter = await turn.open({ through: mortal });
        for (const event of seating) presenter.take(event);
        presenter.take(grew('marcus_aurelius', 'Do your '));
        presenter.take(grew('nassim_taleb', 'Bet '));
        await turns.slack.until(
          () => turn.said().filter(({ streaming }) => streaming).length === 2,
          'both have begun',
        );
        presenter.take(grew('marcus_aurelius', 'Do your part, '));
        await turns.slack.until(
          () => turn.said().some(({ text }) => text.startsWith('Do your part,')),
          'one has grown',
        );
        for (const event of [...answers, ...outcome]) presenter.take(event);
        await presenter.finish();
      };
      await Promise.race([live(), died.promise]);
      await turn.show(afterRestart, { isResumed: true });
      expectWhole(turn.said());
      expect(turn.said().filter(({ streaming }) => streaming === 'in_progress')).toEqual([]);
      return calls;
    };
    const calls = await showTwice(Infinity, false);
    expect([...new Set(calls)].sort()).toEqual([
      'assistant.threads.setStatus',
      'chat.appendStream',
      'chat.getPermalink',
      'chat.postMessage',
      'chat.startStream',
      'chat.stopStream',
      'chat.update',
    ]);
    for (let diesAt = 1; diesAt <= calls.length; diesAt++) {
      await showTwice(diesAt, false);
      await showTwice(diesAt, true);
    }
    turns.slack.assertNoViolations();
  }, 120_000);

  const faults: readonly Fault[] = [
    { kind: 'status', status: 500 },
    { kind: 'status after processing', status: 500 },
    { kind: 'silence after processing' },
    { kind: 'drop' },
    { kind: 'drop after processing' },
    { kind: 'rate limit', retryAfterSeconds: 0 },
  ];
  const methods = [
    'chat.postMessage',
    'chat.startStream',
    'chat.appendStream',
    'chat.stopStream',
    'chat.update',
  ];
  test.each(
    methods.flatMap((method) => faults.map((fault) => [fault.kind, method, fault] as const)),
  )('is whole and said once: %s at %s', async (kind, method, fault) => {
    await using turn = await startTurn(kind === 'silence after processing' ? impatient : {});
    turn.slack.faults.plan(method, fault, { after: method === 'chat.postMessage' ? 1 : 0 });
    const presenter = await turn.open();
    for (const event of [...seating, grew('nassim_taleb', 'Bet ')]) presenter.take(event);
    await turn.slack.until(() => turn.calls('chat.startStream').length > 0, 'one begins');
    presenter.take(grew('nassim_taleb', 'Bet small, '));
    for (const event of [...answers, ...outcome]) presenter.take(event);
    await presenter.finish();
    expectWhole(turn.said());
    expect(turn.said()[0]?.text).not.toContain('Not everything');
    turn.slack.assertNoViolations();
  });

  test('finds the first message again when nothing was answered to it', async () => {
    await using turn = await startTurn(impatient);
    turn.slack.faults.plan('chat.postMessage', { kind: 'silence after processing' });
    await turn.show(afterRestart);
    expectWhole(turn.said());
  });

  test('says in the end what could not be shown, and shows the rest', async () => {
    await using turn = await startTurn();
    turn.slack.faults.plan(
      'chat.postMessage',
      { kind: 'refusal', error: 'invalid_blocks' },
      { times: 2, when: ({ args }) => args.username === talebName },
    );
    await turn.show(afterRestart);
    expect(turn.said().map(({ author }) => author)).toEqual([botName, marcusName, botName]);
    expect(turn.said()[0]?.text).toContain(
      'Not everything could be posted: Slack refused chat.postMessage: invalid_blocks.',
    );
  });

  test('says in the end, in words, that the app was taken out of the channel', async () => {
    await using turn = await startTurn();
    turn.slack.faults.plan(
      'chat.postMessage',
      { kind: 'refusal', error: 'not_in_channel' },
      { when: ({ args }) => args.username === talebName },
    );
    await turn.show(afterRestart);
    expect(turn.said()[0]?.text).toContain(
      'Not everything could be posted: I am not in the conversation. Invite me with /invite',
    );
  });

  test('tells its end without blocks where Slack refuses those of every edit', async () => {
    await using turn = await startTurn();
    turn.slack.faults.decide(({ method, args }) =>
      method === 'chat.update' && JSON.stringify(args.blocks) !== '[]'
        ? { kind: 'refusal', error: 'invalid_blocks' }
        : undefined,
    );
    await turn.show(afterRestart);
    expectWhole(turn.said());
  });

  test('tries nothing more in a channel that is gone', async () => {
    await using turn = await startTurn();
    const presenter = await turn.open();
    turn.slack.changeChannel(turn.channel, { isArchived: true });
    for (const event of afterRestart) presenter.take(event);
    await presenter.finish();
    expect(turn.calls('chat.postMessage').length).toBeLessThanOrEqual(3);
    expect(turn.log.map(({ sentence }) => sentence)).toContain(
      'a message of the turn could not be shown',
    );
  });

  test('is shown where no status may be', async () => {
    await using turn = await startTurn();
    turn.slack.faults.plan(
      'assistant.threads.setStatus',
      { kind: 'refusal', error: 'missing_scope' },
      { times: 9 },
    );
    await turn.show(afterRestart);
    expectWhole(turn.said());
    expect(turn.calls('assistant.threads.setStatus')).toHaveLength(1);
  });

  test('is shown again from the beginning where the thread may not be read', async () => {
    await using turn = await startTurn();
    turn.slack.faults.plan(
      'conversations.replies',
      { kind: 'refusal', error: 'missing_scope' },
      { times: 9 },
    );
    await turn.show(afterRestart, { isResumed: true });
    expectWhole(turn.said());
    expect(turn.log.map(({ sentence }) => sentence)).toContain(
      'the thread can’t be read, so something may be posted twice',
    );
  });

  test('takes nothing for its own that a later turn of the thread has begun', async () => {
    await using turn = await startTurn();
    await turn.open();
    const later = await turn.ask(turn.asked.thread);
    const other = await later.open();
    for (const event of [...seating, grew('nassim_taleb', 'Wait ')]) other.take(event);
    await turn.slack.until(() => turn.said().length === 3, 'it has begun');
    await turn.show(afterRestart, { isResumed: true });
    other.take(answered('nassim_taleb', 'Wait long.'));
    await other.finish();
    const ofTaleb = turn.said().filter(({ author }) => author === talebName);
    expect(ofTaleb.map(({ text }) => text)).toEqual(['Wait long.', 'Bet small, and often.']);
  });

  test('takes no answer for whole that Slack closed and that was still growing', async () => {
    await using turn = await startTurn();
    const killed = await turn.open();
    for (const event of [...seating, grew('nassim_taleb', 'Bet ')]) killed.take(event);
    await turn.slack.until(() => turn.said().length === 2, 'it has begun');
    turn.slack.clock.advance(5 * 60_000);
    killed.take(grew('nassim_taleb', 'Bet small, '));
    await turn.slack.until(
      () => turn.said().some(({ text }) => text.trim() === 'Bet small,'),
      'it was replaced',
    );
    await turn.show(afterRestart, { isResumed: true });
    expectWhole(turn.said().toSorted((one, other) => Number(one.ts) - Number(other.ts)));
  });

  test.each(['edit_window_closed', 'cant_update_message'])(
    'loses no answer whose message may not be edited any more: %s',
    async (error) => {
      await using turn = await startTurn();
      const presenter = await turn.open();
      for (const event of [...seating, grew('nassim_taleb', 'Bet ')]) presenter.take(event);
      await turn.slack.until(() => turn.said().length === 2, 'it has begun');
      turn.slack.clock.advance(5 * 60_000);
      turn.slack.faults.plan('chat.update', { kind: 'refusal', error }, { times: 99 });
      for (const event of [...answers, ...outcome]) presenter.take(event);
      await presenter.finish();
      const whole = turn.said().filter(({ text }) => text === 'Bet small, and often.');
      expect(whole.map(({ author }) => author)).toEqual([talebName]);
      turn.slack.assertNoViolations();
    },
  );

  test('completes under its label what was half said', async () => {
    await using turn = await startTurn({
      scopes: usualScopes.filter((scope) => scope !== 'chat:write.customize'),
    });
    const killed = await turn.open();
    for (const event of [...seating, grew('nassim_taleb', 'Bet\nsmall')]) killed.take(event);
    const halfSaid = '**Nassim Taleb**\n\nBet\n';
    await turn.slack.until(() => turn.said()[1]?.text === halfSaid, 'it has begun');
    await turn.show(afterRestart, { isResumed: true });
    expect(turn.said()).toHaveLength(4);
    expect(turn.said()[1]?.text).toBe('**Nassim Taleb**\n\nBet small, and often.');
    turn.slack.assertNoViolations();
  });

  test('takes nothing of another turn of the thread for its own', async () => {
    await using turn = await startTurn();
    await turn.show(afterRestart);
    const stranger = await turn.ask();
    await stranger.show(afterRestart, { isResumed: true });
    expectWhole(turn.said());
    expectWhole(stranger.said());
  });
});
