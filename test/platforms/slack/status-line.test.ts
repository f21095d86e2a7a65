import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { english } from '../../../src/domain/languages/english.ts';
import { silentLog } from '../../../src/domain/log.ts';
import { UnansweredError } from '../../../src/platforms/chat/pacing/platform-error.ts';
import { notBegun, type TurnProgress } from '../../../src/platforms/chat/show/turn-progress.ts';
import { statusLine } from '../../../src/platforms/slack/presenter/status-line.ts';

const place = { team: 'T1', channel: 'C1', thread: '1.2' };
const reviewing: TurnProgress = { ...notBegun, stage: 'reviews' };
const weighing: TurnProgress = { ...notBegun, stage: 'verdict' };

function startLine(answer = async () => ({})) {
  const sent: unknown[] = [];
  const api = {
    call: async (_: string, __: string, { status }: Readonly<Record<string, unknown>>) => {
      sent.push(status);
      return answer();
    },
  };
  const line = statusLine(api, place, silentLog);
  const show = async (progress: TurnProgress) => {
    line.show({
      turnId: 't1',
      words: english,
      progress,
      reviews: [],
      personas: new Map(),
      notes: [],
    });
    await turnOfTheLoop();
  };
  return { line, sent, show };
}

test('sends a status once', async () => {
  const { sent, show } = startLine();
  await show(reviewing);
  await show({ ...reviewing, seats: [] });
  await show(weighing);
  expect(sent).toEqual(['is reviewing the answers…', 'is weighing it all…']);
});

test('takes away what is shown, once', async () => {
  const { line, sent, show } = startLine();
  await show(weighing);
  await line.clear();
  await line.clear();
  expect(sent).toEqual(['is weighing it all…', '']);
});

test('takes away a status that nothing was answered to', async () => {
  const { line, sent, show } = startLine(async () => {
    throw new UnansweredError('Nothing came.');
  });
  await show(weighing);
  await line.clear();
  expect(sent).toEqual(['is weighing it all…', '']);
});
