import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Reply, type ReplyBlock, textReply } from '../../../commands/command.ts';
import { momentMark } from '../../../src/domain/words.ts';
import { hello } from '../../../src/platforms/chat/asking/asking-words.ts';
import { answerByResponse } from '../../../src/platforms/slack/ingress/answers.ts';
import {
  plainMessage,
  replyMessages,
} from '../../../src/platforms/slack/ingress/reply-messages.ts';
import { messageBlocks } from '../../fakes/slack/schema/block-lists.ts';

const table = (rows: number, cell = 'cell'): ReplyBlock => ({
  type: 'table',
  header: ['sage', 'seconds', ''],
  rows: Array.from({ length: rows }, (_, index) => [`${index}`, cell, '']),
});
const shown = (blocks: readonly ReplyBlock[]) => replyMessages({ blocks, isPrivate: true });

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 400 }),
  fc.constantFrom('<!channel>', '```\ncode', '**bold', '<@U1>', '\u202e', '# Heading\n\n- item'),
  fc.integer({ min: 1, max: 400 }).map((times) => 'A sentence that is long. '.repeat(times)),
);
const block: fc.Arbitrary<ReplyBlock> = fc.oneof(
  text.map((one): ReplyBlock => ({ type: 'text', text: one })),
  fc
    .array(fc.record({ name: text, value: text }), { maxLength: 20 })
    .map((fields): ReplyBlock => ({ type: 'fields', fields })),
  fc
    .array(fc.array(text, { minLength: 3, maxLength: 3 }), { maxLength: 130 })
    .map((rows): ReplyBlock => ({ type: 'table', header: ['a', 'b', 'c'], rows })),
  fc.array(fc.record({ label: text.filter((one) => one.trim() !== '') }), { maxLength: 25 }).map(
    (choices): ReplyBlock => ({
      type: 'choices',
      choices: choices.map((choice, index) => ({ ...choice, command: `stop --turn ${index}` })),
    }),
  ),
  text.map(
    (content): ReplyBlock => ({
      type: 'file',
      name: 'minutes.md',
      mediaType: 'text/markdown',
      content,
    }),
  ),
);

describe('a reply in Slack', () => {
  test('keeps to what Slack takes in one message, whatever is in it', () => {
    fc.assert(
      fc.property(fc.array(block, { maxLength: 8 }), (blocks) => {
        const messages = shown(blocks);
        expect(messages.length).toBeGreaterThan(0);
        for (const message of messages) {
          const judged = messageBlocks.safeParse(message.blocks);
          expect(judged.error?.issues ?? []).toEqual([]);
          expect(message.text).not.toBe('');
          expect(message.text.length).toBeLessThan(4000);
          expect(message.text).not.toMatch(/<[!@#]/);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('has every row of a long table, under its header each time', () => {
    const messages = shown([table(250)]);
    const rows = messages.flatMap(({ blocks }) =>
      blocks.flatMap((one) => (one.type === 'table' ? one.rows : [])),
    );
    expect(messages).toHaveLength(3);
    expect(rows).toHaveLength(253);
    expect(JSON.stringify(rows.at(-1))).toContain('"249"');
  });

  test('puts what belongs together into one message, and a second table into the next', () => {
    const [first, second, ...more] = shown([
      { type: 'fields', fields: [{ name: 'Turn', value: 'abc' }] },
      table(2),
      table(2),
    ]);
    expect(first?.blocks.map(({ type }) => type)).toEqual(['markdown', 'table']);
    expect(second?.blocks.map(({ type }) => type)).toEqual(['table']);
    expect(more).toEqual([]);
  });

  test('shows a file whole, in a fence that nothing in it closes', () => {
    const content = 'before\n````\ninside <!here>\n````\nafter';
    const [message] = shown([{ type: 'file', name: 'a.md', mediaType: 'text/markdown', content }]);
    const [markdown] = message?.blocks ?? [];
    const written = markdown?.type === 'markdown' ? markdown.text : '';
    expect(written).toContain('`````\nbefore');
    expect(written.trimEnd().endsWith('after\n`````')).toBe(true);
    expect(written).not.toContain('<!here>');
  });

  test('has bold words in notifications as Slack writes them', () => {
    const [greeting] = replyMessages(hello('channel'));
    expect(greeting?.text).toMatch(/^\*Hello, I’m Council\.\* Ask me .*\n- \*Ask:\* `/s);
    expect(greeting?.text).not.toContain('**');
    expect(plainMessage('I lack **chat:write** here.').text).toBe('I lack *chat:write* here.');
  });

  test('of nothing says that it is done', () => {
    expect(shown([])).toMatchObject([{ text: 'Done.' }]);
  });
});

test('shows moments in the zone of the reader, and what looks like one of a person as a moment at most', () => {
  const at = Date.UTC(2026, 10, 21, 22, 19);
  const [message] = replyMessages(textReply(`Said ${momentMark(at)} by <t:x> and <!channel>.`));
  const shown = JSON.stringify(message?.blocks);
  expect(shown).toContain(
    `<!date^${at / 1000}^{date_short_pretty} at {time}|2026-11-21 22:19 UTC>`,
  );
  expect(shown).toContain('&lt;t:x>');
  expect(shown).toContain('&lt;!channel>');
});

/** What Slack gets of a reply to a command: in reply to it, and as calls. */
async function responsesTo(reply: Reply) {
  const said: unknown[] = [];
  const calls: unknown[] = [];
  const api = {
    call: async (...call: readonly unknown[]) => {
      calls.push(call);
      return {};
    },
  };
  const scene = { team: 'T1', channel: 'C1', userId: 'U1' };
  const answer = answerByResponse(api, scene, async (message) => {
    said.push(message);
    return new Response();
  });
  await answer.show(reply);
  return { said, calls };
}

test('a reply that is longer than Slack takes in reply to a command goes on in private posts', async () => {
  const words = Array.from({ length: 9000 }, (_, index) => `Word${index}.`);
  const { said, calls } = await responsesTo(textReply(words.join(' ')));
  expect(said).toHaveLength(5);
  expect(calls).toEqual(
    calls.map(() => ['T1', 'chat.postEphemeral', expect.objectContaining({ user: 'U1' })]),
  );
  const shown = JSON.stringify([...said, ...calls]);
  expect(words.filter((word) => !shown.includes(word))).toEqual([]);
});

test('a reply that just fits into what Slack takes is shown whole', async () => {
  const tables = [1, 2, 3, 4, 5].map((cell) => ({
    type: 'table' as const,
    header: ['a'],
    rows: [[`${cell}`]],
  }));
  const { said, calls } = await responsesTo({ blocks: tables, isPrivate: true });
  expect(said).toHaveLength(5);
  expect(JSON.stringify(said.at(-1))).toContain('"5"');
  expect(calls).toEqual([]);
});
