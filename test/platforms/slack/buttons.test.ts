import { describe, expect, test, vi } from 'vitest';
import { english } from '../../../src/domain/languages/english.ts';
import { post } from '../../../src/platforms/slack/api/messages.ts';
import { createSlackApi, type SlackApi } from '../../../src/platforms/slack/api/slack-api.ts';
import {
  type Block,
  button,
  buttonRow,
  feedbackRow,
} from '../../../src/platforms/slack/presenter/blocks.ts';
import { scriptedModels, wholeScript } from '../../council/scripted-council.ts';
import { hang } from '../../fakes/scripted-model.ts';
import { startListening, turnOf } from './listening.ts';

type World = Awaited<ReturnType<typeof startListening>>;

function apiOf({ slack }: World): SlackApi {
  const { botToken } = slack.installation();
  return createSlackApi({ tokenOf: () => botToken, apiUrl: slack.api, timeoutMs: 2000 });
}

/** Asks, and posts a message with these buttons into the thread, as a presenter does. */
async function asked(
  world: World,
  question: string,
  blocksFor: (turnId: string) => readonly Block[],
) {
  const { slack, ada, channel, taken, untilTaken } = world;
  const { thread } = await ada.mentions(channel, question);
  await untilTaken(taken.length + 1);
  const turn = turnOf(taken.at(-1));
  const { turnId } = turn;
  const spot = { team: slack.workspace.id, channel: channel.id, thread };
  const ts = await post(apiOf(world), spot, { text: 'Buttons', blocks: blocksFor(turnId) });
  return { turn, turnId, message: { channel, ts }, thread };
}

const stopRow = (turnId: string) => buttonRow([button('Stop', { kind: 'stop', turnId })]);
const slowBen = () => scriptedModels({ sages: { ben: [hang, hang] } });

describe('a button in Slack', () => {
  test('stops a turn for the person who asked and for managers, and for no one else', async () => {
    const world = await startListening({ models: slowBen() });
    const { slack, ada, bob, store, privately } = world;
    const { turn, message } = await asked(world, 'Ben: why?', stopRow);
    await bob.presses(message, 'Stop');
    await slack.until(() => privately(bob).length === 1, 'a refusal');
    expect(privately(bob)[0]).toContain('Only the person who asked');
    await ada.presses(message, 'Stop');
    await slack.until(() => privately(ada).length === 1, 'the end');
    await vi.waitFor(async () =>
      expect(await store.turns.read(turn)).toMatchObject({ outcome: 'stopped' }),
    );
    await ada.presses(message, 'Stop');
    await slack.until(() => privately(ada).length === 2, 'that it is over');
    expect(privately(ada)[1]).toBe('It has already ended.');
  });

  test.each([{ kind: 'status', status: 500 } as const, { kind: 'drop' } as const])(
    'whose work is done is not said to have failed where the answer is lost: $kind',
    async (fault) => {
      const world = await startListening({ models: slowBen() });
      const { slack, ada, store, privately } = world;
      const { turn, message } = await asked(world, 'Ben: why?', stopRow);
      slack.faults.plan('chat.postEphemeral', fault);
      await ada.presses(message, 'Stop');
      await slack.until(() => privately(ada).length === 1, 'word of it');
      await vi.waitFor(async () =>
        expect(await store.turns.read(turn)).toMatchObject({ outcome: 'stopped' }),
      );
      expect(privately(ada)).toEqual([expect.stringContaining('may be done all the same')]);
    },
  );

  test('does nothing to a turn of another channel, no matter who presses it', async () => {
    const world = await startListening({ models: slowBen() });
    const { slack, boss, store, privately } = world;
    const elsewhere = await slack.addChannel('elsewhere', { creator: boss });
    const { turn, turnId } = await asked(world, 'Ben: why?', stopRow);
    const spot = { team: slack.workspace.id, channel: elsewhere.id };
    const blocks = [
      ...stopRow(turnId),
      ...buttonRow([button('Receipt', { kind: 'view', view: 'receipt', turnId })]),
      ...feedbackRow(turnId, english),
    ];
    const ts = await post(apiOf(world), spot, { text: 'Forged', blocks });
    for (const label of ['Stop', 'Receipt', 'Good verdict']) {
      await boss.presses({ channel: elsewhere, ts }, label);
    }
    const seen = () => slack.messages(elsewhere).filter(({ ephemeralFor }) => ephemeralFor);
    await slack.until(() => seen().length === 3, 'three answers');
    const texts = seen().map(({ text }) => text);
    expect(texts.filter((text) => text.includes('in this channel. Leave the id out'))).toHaveLength(
      3,
    );
    const record = await store.turns.read(turn);
    expect(record?.status).toBe('running');
    expect(record?.steps.map(({ kind }) => kind)).not.toContain('feedback');
    expect(privately(boss)).toEqual([]);
  });

  test('does nothing to a turn of another workspace, and tells nothing of it', async () => {
    const world = await startListening({ models: slowBen() });
    const { slack, store } = world;
    const { turn, turnId } = await asked(world, 'Ben: what is our secret?', stopRow);
    const other = world.addWorkspace('Rivals');
    const eve = slack.addMember('Eve', { workspace: other, isAdmin: true });
    const theirs = await slack.addChannel('plots', { workspace: other, creator: eve });
    const { botToken } = slack.installation(other);
    const api = createSlackApi({ tokenOf: () => botToken, apiUrl: slack.api, timeoutMs: 2000 });
    const blocks = [
      ...stopRow(turnId),
      ...buttonRow([button('Seats', { kind: 'view', view: 'seats', turnId })]),
      ...feedbackRow(turnId, english),
    ];
    const ts = await post(api, { team: other.id, channel: theirs.id }, { text: 'Forged', blocks });
    for (const label of ['Stop', 'Seats', 'Bad verdict']) {
      await eve.presses({ channel: theirs, ts }, label);
    }
    await eve.commands(theirs, `/council receipt ${turnId}`);
    const seen = () => slack.messages(theirs).filter(({ ephemeralFor }) => ephemeralFor);
    await slack.until(() => seen().length === 4, 'four answers');
    expect(JSON.stringify(seen())).not.toContain('secret');
    expect(JSON.stringify(seen())).not.toContain('Ben');
    expect(await store.turns.read(turn)).toMatchObject({ status: 'running' });
  });

  test('shows reviews with ballots, seats and the receipt to one person in the thread', async () => {
    const world = await startListening({ models: scriptedModels(wholeScript) });
    const { slack, bob, privately, channel } = world;
    const views = ['reviews', 'seats', 'receipt'] as const;
    const { message, thread, turn } = await asked(world, 'Should we?', (turnId) =>
      buttonRow(views.map((view) => button(view, { kind: 'view', view, turnId }))),
    );
    await vi.waitFor(async () =>
      expect(await world.store.turns.read(turn)).toMatchObject({ status: 'ended' }),
    );
    for (const view of views) {
      const before = privately(bob).length;
      await bob.presses(message, view);
      await slack.until(() => privately(bob).length > before, view);
    }
    const texts = privately(bob).join('\n');
    for (const part of [
      'Review by',
      'Ballot as read',
      'Chosen by the moderator',
      'Agreement',
      turn.turnId,
    ]) {
      expect(texts.toLowerCase()).toContain(part.toLowerCase());
    }
    const seen = slack.thread(channel, thread).filter(({ ephemeralFor }) => ephemeralFor);
    // A post each: Slack takes one table a message.
    expect(seen).toHaveLength(3);
  });

  test('keeps what people think of a verdict, and the receipt tells it', async () => {
    const world = await startListening({ models: slowBen() });
    const { slack, ada, bob, privately } = world;
    const { message } = await asked(world, 'Ben: why?', (turnId) => [
      ...feedbackRow(turnId, english),
      ...buttonRow([button('Receipt', { kind: 'view', view: 'receipt', turnId })]),
    ]);
    await ada.presses(message, 'Bad verdict');
    await ada.presses(message, 'Good verdict');
    await bob.presses(message, 'Bad verdict');
    await slack.until(() => privately(ada).length === 2 && privately(bob).length === 1, 'thanks');
    await bob.presses(message, 'Receipt');
    await slack.until(() => privately(bob).length > 1, 'the receipt');
    expect(privately(bob)[1]).toContain('good: 1, bad: 1');
  });

  test('that carries nothing of ours is acknowledged and left alone', async () => {
    const world = await startListening({ models: slowBen() });
    const { bob, log, invocations } = world;
    const odd = (value: string): Block => ({
      type: 'actions',
      elements: [
        {
          type: 'button',
          text: { type: 'plain_text', text: 'Odd' },
          action_id: 'council:stop:1',
          value,
        },
      ],
    });
    const { message } = await asked(world, 'Ben: why?', () => [odd('{"kind":"erase"}')]);
    expect(await bob.presses(message, 'Odd')).toMatchObject({ status: 'acknowledged' });
    expect(invocations).toEqual([]);
    expect(log.filter((line) => line.startsWith('error'))).toEqual([]);
  });
});
