import { expect, test } from 'vitest';
import { leaderboardChart } from '../../../src/charts/bar-charts.ts';
import { picture } from '../../../src/charts/drawing.ts';
import { replyMessages } from '../../../src/platforms/discord/ingress/reply-message.ts';

test('a table shows its cells as they are written, whatever signs turn or hide in them', async () => {
  const rows = [
    ['\u202eadA', 'an\u200bswered'],
    ['```@here', 'failed'],
  ];
  const [message] = await replyMessages({
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

test('a table that screens would wrap is shown as a list, whose cells are only text', async () => {
  const model = 'openrouter:anthropic/claude_opus_latest';
  const [message] = await replyMessages({
    isPrivate: true,
    blocks: [
      {
        type: 'table',
        header: ['call', 'model', 'cost', 'ended'],
        rows: [
          ['sage **Ada**', model, '', 'answered'],
          ['verdict', model, '$0.0200', 'answered in time'],
        ],
      },
    ],
  });
  const shown = model.replace('_', '\\_').replace('_l', '\\_l');
  expect(message?.components).toMatchObject([
    {
      content: [
        `- **sage \\*\\*Ada\\*\\*** · model ${shown} · ended answered`,
        `- **verdict** · model ${shown} · cost $0.0200 · ended answered in time`,
      ].join('\n'),
    },
  ]);
});

test('a chart is a picture with an alternative text, as Discord shows no SVG', async () => {
  const chart = leaderboardChart([], 'this channel', picture);
  const [message] = await replyMessages({
    isPrivate: true,
    blocks: [
      { type: 'text', text: 'Here.' },
      {
        type: 'file',
        name: 'leaderboard.svg',
        mediaType: 'image/svg+xml',
        isDrawn: true,
        content: chart.svg,
        description: 'Ada leads.',
      },
    ],
  });
  const items = [{ media: { url: 'attachment://leaderboard.png' }, description: 'Ada leads.' }];
  expect(message?.components.at(-1)).toMatchObject({ items });
  const [file] = message?.files ?? [];
  expect(file?.name).toBe('leaderboard.png');
  expect(`${file?.attachment}`).toContain('PNG');
});
