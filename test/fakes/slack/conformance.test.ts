import { describe, expect, test } from 'vitest';
import { newClient, startWorld } from './connected-app.ts';

const plain = (text: string) => ({ type: 'plain_text', text }) as const;
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text }) as const;
const button = (parts: object) => ({ type: 'button', text: plain('Go'), ...parts });
const actions = (...elements: object[]) => ({ type: 'actions', elements });
const chart = (labels: readonly string[], categories = labels) => ({
  type: 'data_visualization',
  title: 'Shares',
  chart: {
    type: 'bar',
    series: [{ name: 'Won', data: labels.map((label) => ({ label, value: 1 })) }],
    axis_config: { categories },
  },
});
const letters = (count: number) => 'x'.repeat(count);

/** What Slack refuses, by what is said about it. */
const refused: readonly (readonly [string, object, string])[] = [
  ['text of 40,001 characters', { text: letters(40_001) }, 'msg_too_long'],
  ['markdown of 12,001 characters', { markdown_text: letters(12_001) }, 'msg_too_long'],
  ['nothing', {}, 'no_text'],
  ['markdown together with text', { text: 'a', markdown_text: 'b' }, 'markdown_text_conflict'],
  [
    'a section of 3,001 characters',
    { blocks: [{ type: 'section', text: mrkdwn(letters(3_001)) }] },
    'invalid_blocks',
  ],
  ['an empty section', { blocks: [{ type: 'section', text: mrkdwn('') }] }, 'invalid_blocks'],
  [
    'a header of 151 characters',
    { blocks: [{ type: 'header', text: plain(letters(151)) }] },
    'invalid_blocks',
  ],
  ['a header with mrkdwn', { blocks: [{ type: 'header', text: mrkdwn('*V*') }] }, 'invalid_blocks'],
  [
    '51 blocks',
    { blocks: Array.from({ length: 51 }, () => ({ type: 'divider' })) },
    'invalid_blocks',
  ],
  [
    '26 buttons in a row',
    { blocks: [actions(...Array.from({ length: 26 }, () => button({})))] },
    'invalid_blocks',
  ],
  [
    'a button with a value of 2,001',
    { blocks: [actions(button({ value: letters(2_001) }))] },
    'invalid_blocks',
  ],
  [
    'an action_id of 256',
    { blocks: [actions(button({ action_id: letters(256) }))] },
    'invalid_blocks',
  ],
  [
    'a block_id of 256',
    { blocks: [{ type: 'divider', block_id: letters(256) }] },
    'invalid_blocks',
  ],
  [
    'one action_id twice in a row',
    { blocks: [actions(button({ action_id: 'a' }), button({ action_id: 'a' }))] },
    'invalid_blocks',
  ],
  ['an unknown block', { blocks: [{ type: 'marquee' }] }, 'invalid_blocks'],
  ['an unknown field', { blocks: [{ type: 'divider', colour: 'red' }] }, 'invalid_blocks'],
  [
    'markdown blocks of 13,000 in all',
    { blocks: [1, 2].map(() => ({ type: 'markdown', text: letters(6_500) })) },
    'invalid_blocks',
  ],
  [
    'a chart whose bars have no categories',
    { blocks: [chart(['Ada'], ['Ben'])] },
    'invalid_blocks',
  ],
  ['a long label in a chart', { blocks: [chart([letters(21)])] }, 'invalid_blocks'],
  [
    '21 bars',
    { blocks: [chart(Array.from({ length: 21 }, (_, bar) => `${bar}`))] },
    'invalid_blocks',
  ],
  ['three charts', { blocks: [1, 2, 3].map(() => chart(['Ada'])) }, 'invalid_blocks'],
  [
    'metadata without a payload',
    { text: 'a', metadata: { event_type: 'answer' } },
    'invalid_metadata_format',
  ],
  ['an icon that is no emoji', { text: 'a', icon_emoji: 'owl' }, 'invalid_arguments'],
  ['a channel by its name', { text: 'a', channel: '#general' }, 'invalid_arguments'],
];

describe('what Slack refuses', () => {
  test('is refused with its own words, and noted', async () => {
    await using world = await startWorld();
    const { slack, channel } = world;
    const client = newClient(slack);
    for (const [what, args, code] of refused) {
      slack.violations.clear();
      const call = client.apiCall('chat.postMessage', { channel: channel.id, ...args });
      await expect(call, what).rejects.toThrow(code);
      const isState = code === 'no_text' || code === 'markdown_text_conflict';
      if (!isState) expect(slack.violations.all, what).toMatchObject([{ code }]);
    }
  });

  test('makes a test fail when it asks', async () => {
    await using world = await startWorld();
    const { slack, channel } = world;
    const client = newClient(slack);
    await client.apiCall('chat.postMessage', { channel: channel.id, text: 'a', colour: 'red' });
    expect(() => slack.assertNoViolations()).toThrow('chat.postMessage unknown_argument: colour');
    slack.violations.clear();
    await expect(client.apiCall('chat.shout', {})).rejects.toThrow('unknown_method');
    expect(() => slack.assertNoViolations()).toThrow('chat.shout unknown_method');
  });
});
