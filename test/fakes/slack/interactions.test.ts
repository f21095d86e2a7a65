import type { types } from '@slack/bolt';
import { describe, expect, test } from 'vitest';
import { startConnected } from './connected-app.ts';

const settings: types.ModalView = {
  type: 'modal',
  callback_id: 'settings',
  title: { type: 'plain_text', text: 'Council' },
  submit: { type: 'plain_text', text: 'Save' },
  notify_on_close: true,
  blocks: [
    {
      type: 'input',
      block_id: 'depth',
      label: { type: 'plain_text', text: 'Depth' },
      element: {
        type: 'static_select',
        action_id: 'value',
        initial_option: { text: { type: 'plain_text', text: 'Quick' }, value: 'quick' },
        options: [
          { text: { type: 'plain_text', text: 'Quick' }, value: 'quick' },
          { text: { type: 'plain_text', text: 'Deep' }, value: 'deep' },
        ],
      },
    },
    {
      type: 'input',
      block_id: 'budget',
      label: { type: 'plain_text', text: 'Budget' },
      element: { type: 'plain_text_input', action_id: 'value', max_length: 10 },
    },
    {
      type: 'input',
      block_id: 'bench',
      optional: true,
      label: { type: 'plain_text', text: 'Bench' },
      element: { type: 'multi_external_select', action_id: 'sages', min_query_length: 0 },
    },
  ],
};

describe('people who use the app', () => {
  test('give a command, and see what it was acknowledged with and what came later', async () => {
    await using world = await startConnected();
    const { slack, app, ada, channel } = world;
    app.command('/council', async ({ ack, respond, command }) => {
      await ack(`Looking: ${command.text}`);
      await respond({ text: 'Found.', response_type: 'in_channel' });
    });
    const told = await ada.commands(channel, '/council sages all');
    expect(told).toEqual({ status: 'acknowledged', payload: { text: 'Looking: sages all' } });
    await slack.until(() => slack.messages(channel).length === 2, 'the late answer');
    expect(slack.messages(channel).map(({ text, ephemeralFor }) => [text, ephemeralFor])).toEqual(
      expect.arrayContaining([
        ['Looking: sages all', ada.user.id],
        ['Found.', undefined],
      ]),
    );
    slack.assertNoViolations();
  });

  test('fill in a modal, are told what is wrong with a field, and submit it again', async () => {
    await using world = await startConnected();
    const { slack, app, ada, channel } = world;
    const saved: unknown[] = [];
    app.command('/council', async ({ ack, client, command }) => {
      await ack();
      await client.views.open({ trigger_id: command.trigger_id, view: settings });
    });
    app.options('sages', async ({ ack, options }) => {
      const sages = ['Seneca', 'Taleb'].filter((name) => name.startsWith(options.value));
      await ack({
        options: sages.map((name) => ({
          text: { type: 'plain_text', text: name },
          value: name.toLowerCase(),
        })),
      });
    });
    app.view('settings', async ({ ack, view }) => {
      const budget = view.state.values.budget?.value?.value ?? '';
      if (Number.isNaN(Number(budget))) {
        await ack({ response_action: 'errors', errors: { budget: 'Write a number.' } });
        return;
      }
      saved.push(view.state.values);
      await ack();
    });
    await ada.commands(channel, '/council config');
    await slack.until(() => ada.modal() !== undefined, 'a modal');
    expect(() => ada.fills({ depth: 'bottomless' })).toThrow('Depth offers no bottomless');
    await expect(ada.submits()).rejects.toThrow('Still to be filled in: Budget');
    await ada.submits({ budget: 'much' });
    expect(ada.modal()?.errors).toEqual({ budget: 'Write a number.' });
    expect((await ada.searches('sages', 'T')).map(({ value }) => value)).toEqual(['taleb']);
    await ada.submits({ budget: '5', sages: ['taleb'] });
    expect(ada.modal()).toBeUndefined();
    expect(saved).toMatchObject([
      {
        depth: { value: { selected_option: { value: 'quick' } } },
        budget: { value: { value: '5' } },
        bench: { sages: { selected_options: [{ value: 'taleb' }] } },
      },
    ]);
    slack.assertNoViolations();
  });

  test('close a modal, and the app hears of it', async () => {
    await using world = await startConnected();
    const { app, ada, channel, slack } = world;
    app.shortcut('ask', async ({ ack, client, shortcut }) => {
      await ack();
      await client.views.open({ trigger_id: shortcut.trigger_id, view: settings });
    });
    const closed: string[] = [];
    app.view({ callback_id: 'settings', type: 'view_closed' }, async ({ ack, view }) => {
      closed.push(view.callback_id);
      await ack();
    });
    await ada.usesShortcut('ask', await ada.says(channel, 'Is this wise?'));
    await slack.until(() => ada.modal() !== undefined, 'a modal');
    await ada.closes();
    expect(closed).toEqual(['settings']);
    expect(ada.modal()).toBeUndefined();
  });

  test('press a button, and what was pressed is replaced', async () => {
    await using world = await startConnected();
    const { slack, app, ada, channel } = world;
    const pressed: string[] = [];
    app.action('stop', async ({ ack, respond, action }) => {
      await ack();
      if (action.type === 'button') pressed.push(action.value ?? '');
      await respond({ text: 'Stopped.', replace_original: true });
    });
    const stop = {
      type: 'button',
      action_id: 'stop',
      text: { type: 'plain_text', text: 'Stop' },
      value: 'turn-1',
    } as const;
    await app.client.chat.postMessage({
      channel: channel.id,
      text: 'Seating',
      blocks: [{ type: 'actions', elements: [stop] }],
    });
    const [card] = slack.appMessages();
    if (card === undefined) throw new Error('Nothing was posted.');
    await expect(ada.presses(card, 'Start')).rejects.toThrow('There is no Start here');
    await ada.presses(card, 'Stop');
    expect(pressed).toEqual(['turn-1']);
    await slack.until(() => slack.appMessages()[0]?.text === 'Stopped.', 'another text');
    await expect(ada.presses(card, 'Stop')).rejects.toThrow('There is no Stop here');
  });

  test('open the Home tab that was published for them', async () => {
    await using world = await startConnected();
    const { app, ada, slack } = world;
    app.event('app_home_opened', async ({ event, client }) => {
      const section = { type: 'section', text: { type: 'mrkdwn', text: 'The bench' } } as const;
      await client.views.publish({
        user_id: event.user,
        view: { type: 'home', blocks: [section] },
      });
    });
    await ada.opensHome();
    await slack.until(() => ada.home() !== undefined, 'a Home tab');
    expect(ada.home()?.text).toBe('The bench');
    slack.assertNoViolations();
  });

  test('are told that it failed when no one acknowledges in time', async () => {
    await using world = await startConnected();
    const { app, ada, channel } = world;
    await app.stop();
    expect(await ada.commands(channel, '/council help')).toEqual({
      status: 'failed',
      reason: 'connection_failed',
    });
  });

  test('open nothing with a trigger that is old or used', async () => {
    await using world = await startConnected();
    const { slack, app, ada, channel } = world;
    let trigger = '';
    app.command('/council', async ({ ack, command }) => {
      trigger = command.trigger_id;
      await ack();
    });
    const open = () => app.client.views.open({ trigger_id: trigger, view: settings });
    await ada.commands(channel, '/council config');
    await open();
    await expect(open()).rejects.toThrow('exchanged_trigger_id');
    await ada.commands(channel, '/council config');
    slack.clock.advance(3_001);
    await expect(open()).rejects.toThrow('expired_trigger_id');
  });
});
