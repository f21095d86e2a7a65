import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mentions, peopleIn, plainQuestion } from '../../../src/platforms/slack/slack-text.ts';
import {
  attachmentWords,
  wordsOf,
} from '../../../src/platforms/slack/surroundings/said-message.ts';

const me = 'U0COUNCIL';
const names = new Map([
  ['U1', 'Ann'],
  ['U2', '<!channel>'],
]);
const plain = (text: string) => plainQuestion(text, me, names);

describe('what someone wrote in Slack', () => {
  test.each([
    [`<@${me}> why?`, 'why?'],
    [`why, <@${me}|council>?`, 'why, Council?'],
    [`<@${me}>, why?`, 'why?'],
    [`<@${me}>: why? <@${me}>`, 'why?'],
    [`<@${me}> :wave: why <@U1>`, ':wave: why @\u2060Ann'],
    [`I asked <@${me}> about it.`, 'I asked Council about it.'],
    ['ask <@U1> and <@U9|bea> and <@U8>', 'ask @\u2060Ann and @\u2060bea and @\u2060someone'],
    ['in <#C1|general> or <#C2|> or <#C3>', 'in #general or #a channel or #a channel'],
    ['<!here> <!channel> <!everyone>', '@here @channel @everyone'],
    ['<!subteam^S1|@team> <!subteam^S2>', '@team @a group'],
    ['<!date^1392734382^{date}|Feb 18>', 'Feb 18'],
    [
      '<https://a.example|a> <https://b.example> <mailto:a@b.c|a@b.c>',
      'a (https://a.example) https://b.example a@b.c (mailto:a@b.c)',
    ],
    ['1 &lt; 2 &amp;&amp; 3 &gt; 2 &amp;lt;', '1 < 2 && 3 > 2 &lt;'],
    ['*bold* _slanted_ `code`\n• item\n&gt; quote', '*bold* _slanted_ `code`\n• item\n> quote'],
    ['```def f():\n    return 1```\n• a\n    ◦ b', '```def f():\n    return 1```\n• a\n    ◦ b'],
    ['  \n ', ''],
  ])('%s is read as %s', (written, read) => {
    expect(plain(written)).toBe(read);
  });

  test('a forwarded message is read by its text where Slack sends no blocks of it', () => {
    const forwarded = { text: 'We take the ferry.', message_blocks: [{ message: {} }] };
    expect(attachmentWords([forwarded])).toBe('We take the ferry.');
  });

  test('a pasted table is read row by row, and not as the preview that it lacks', () => {
    const text = { type: 'text', text: 'Ann' };
    const section = { type: 'rich_text_section', elements: [text] };
    const rows = [
      [
        { type: 'raw_text', text: 'Who' },
        { type: 'raw_text', text: 'Owes' },
      ],
      [
        { type: 'rich_text', elements: [section] },
        { type: 'raw_number', value: 3, text: '3 €' },
      ],
      ['not a cell'],
    ];
    const table = { type: 'table', block_id: 'b', rows };
    const pasted = { id: 1, blocks: [table], fallback: '[no preview available]' };
    expect(attachmentWords([pasted])).toBe('Who | Owes\nAnn | 3 €');
    expect(attachmentWords([{ blocks: [{ type: 'table', rows: 'none' }] }])).toBe('');
  });

  test('of an app has the words of each block on a line, and buttons apart', () => {
    const button = (text: string) => ({ type: 'button', text: { type: 'plain_text', text } });
    const blocks = [
      { type: 'markdown', text: 'We leave it.' },
      { type: 'context', elements: [{ type: 'plain_text', text: 'Sure: not very' }] },
      { type: 'actions', elements: [button('Yes'), button('No')] },
    ];
    const said = { ts: '1.1', bot_id: 'B1', text: 'We', files: [], blocks };
    expect(wordsOf(said)).toBe('We leave it.\nSure: not very\nYes | No');
  });

  test('tells whom it names, each once, and not the bot', () => {
    const many = Array.from({ length: 50 }, (_, index) => `<@U${index}>`).join('');
    expect(peopleIn(`<@${me}> <@U1> <@U1|ann> <#C1> <!here>`, me)).toEqual(['U1']);
    expect(peopleIn(many, me)).toHaveLength(20);
    expect(mentions(`so, <@${me}>?`, me)).toBe(true);
    expect(mentions(`so, @${me} &lt;@${me}&gt; <#${me}>?`, me)).toBe(false);
    expect(mentions('<@undefined>', undefined)).toBe(false);
  });

  test('loses no word of what is plain', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[^<>&\s][^<>&]{0,200}[^<>&\s]$/), (text) => {
        const read = plain(text.replaceAll('\u2028', ' '));
        expect(read.replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
      }),
    );
  });

  test('is read in time that grows with its length, whatever it is', () => {
    expect(plain('<'.repeat(40_000))).toHaveLength(40_000);
    expect(plain('<@'.repeat(20_000))).toHaveLength(40_000);
    expect(plain(`${' '.repeat(40_000)}x`)).toBe('x');
  });
});
