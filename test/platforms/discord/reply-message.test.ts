import { expect, test } from 'vitest';
import { replyMessages } from '../../../src/platforms/discord/ingress/reply-message.ts';

test('a table shows its cells as they are written, whatever signs turn or hide in them', () => {
  const rows = [
    ['\u202eadA', 'an\u200bswered'],
    ['```@here', 'failed'],
  ];
  const [message] = replyMessages({
    isPrivate: true,
    blocks: [{ type: 'table', header: ['sage', 'how it ended'], rows }],
  });
  expect(message?.components).toMatchObject([
    {
      content: [
        '```',
        'sage    how it ended',
        '──────  ────────────',
        'adA     answered',
        ' @here  failed',
        '```',
      ].join('\n'),
    },
  ]);
});
