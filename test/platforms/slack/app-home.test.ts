import { describe, expect, test, vi } from 'vitest';
import { answer, scriptedModels } from '../../council/scripted-council.ts';
import { startListening, turnOf } from './listening.ts';

const quickBen = () => scriptedModels({ sages: { ben: [answer('No.'), answer('No.')] } });

describe('a person’s own page in Slack', () => {
  test('shows who sits, what holds, and the questions that this person asked', async () => {
    const world = await startListening({ models: quickBen() });
    const { slack, ada, bob, channel, untilTaken, taken, store } = world;
    await ada.mentions(channel, 'Ben: why <!channel>?');
    await bob.mentions(channel, 'Ben: is this secret?');
    await untilTaken(2);
    const ended = async (index: number) => store.turns.read(turnOf(taken[index]));
    await vi.waitFor(async () => expect(await ended(0)).toMatchObject({ status: 'ended' }));
    await ada.opensHome();
    await slack.until(() => ada.home() !== undefined, 'a page');
    const { text = '', blocks = [] } = ada.home() ?? {};
    expect(text).toContain('Ben: why @channel?');
    expect(text).toContain('answered');
    expect(text).toContain('5 sages');
    expect(text).toContain('Ben Sage');
    expect(text).toContain('Depth: standard (the default)');
    expect(text).not.toContain('secret');
    expect(text).not.toContain('Change the defaults');
    expect(JSON.stringify(blocks)).toContain(`/client/${slack.workspace.id}/${channel.id}/thread/`);
  });

  test('lets those who manage the workspace change its defaults', async () => {
    const { slack, boss, invocations } = await startListening();
    await boss.opensHome();
    await slack.until(() => boss.home()?.text.includes('Change the defaults') === true, 'a page');
    await boss.presses('home', 'Change the defaults');
    await slack.until(() => boss.modal()?.title === 'Workspace defaults', 'the defaults');
    expect(boss.modal()?.text).not.toContain('Show this channel');
    await boss.submits({ depth: 'quick' });
    expect(boss.modal()?.text).toContain('Changed: depth');
    expect(invocations.at(-1)?.options).toEqual({ scope: 'server', changes: { depth: 'quick' } });
  });

  test('shows the new defaults once they are saved', async () => {
    const { slack, boss } = await startListening();
    await boss.opensHome();
    await slack.until(() => boss.home()?.text.includes('Depth: standard') === true, 'a page');
    await boss.presses('home', 'Change the defaults');
    await slack.until(() => boss.modal()?.title === 'Workspace defaults', 'the defaults');
    await boss.submits({ depth: 'quick' });
    await slack.until(() => boss.home()?.text.includes('Depth: quick') === true, 'the new ones');
  });

  test('tells in direct messages why the defaults can’t be changed', async () => {
    const { slack, boss } = await startListening();
    await boss.opensHome();
    await slack.until(() => boss.home() !== undefined, 'a page');
    slack.faults.plan('views.open', { kind: 'refusal', error: 'expired_trigger_id' });
    await boss.presses('home', 'Change the defaults');
    const direct = await boss.direct();
    await slack.until(() => slack.messages(direct).length > 0, 'a word about it');
    expect(slack.messages(direct)[0]?.text).toContain('longer than the 3 seconds');
  });

  test('suggests what to ask in the agent pane, in no thread', async () => {
    const { slack, ada } = await startListening();
    await ada.opensHome('messages');
    const suggested = () =>
      slack.calls.find(({ method }) => method === 'assistant.threads.setSuggestedPrompts');
    await slack.until(() => suggested() !== undefined, 'suggestions');
    const { args } = suggested() ?? {};
    expect(args).not.toHaveProperty('thread_ts');
    expect(JSON.stringify(args?.prompts)).toContain('Ask Ada Sage alone');
  });

  test('says in the log alone what the app may not do for it', async () => {
    const { slack, ada, log } = await startListening();
    slack.setScopes(['im:history', 'chat:write', 'users:read']);
    await ada.opensHome('messages');
    await vi.waitFor(() => expect(log.join('\n')).toContain('assistant:write'));
    expect(log.filter((line) => !line.startsWith('info'))).toEqual([]);
    expect(slack.appMessages()).toEqual([]);
  });
});

describe('the app', () => {
  test.each([
    ['app_uninstalled', {}, 1],
    ['tokens_revoked', { tokens: { oauth: [], bot: ['U1'] } }, 1],
    ['tokens_revoked', { tokens: { oauth: ['U1'] } }, 0],
  ])('%s %j takes it out of a workspace %d times', async (type, parts, times) => {
    const { slack, ada, channel, removed, untilTaken } = await startListening({
      models: quickBen(),
    });
    const teamId = slack.workspace.id;
    await slack.events.tell({ teamId, subscription: type, event: { type, ...parts } });
    await ada.mentions(channel, 'Ben: still there?');
    await untilTaken(1);
    expect(removed).toEqual(Array(times).fill(teamId));
  });
});
