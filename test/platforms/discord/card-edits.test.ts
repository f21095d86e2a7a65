import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { TurnEvent, TurnStage } from '../../../src/council/events.ts';
import { answered, answeredEnd, concluded, reviewed, seat } from '../terminal/turn-events.ts';
import { startTurn } from './shown-turn.ts';

const seats = Array.from({ length: 8 }, (_, index) => seat(`sage_${index}`, `Sage ${index}`));
const keys = seats.map(({ sage }) => sage.key);

function begins(stage: TurnStage): TurnEvent {
  return { type: 'stage_started', stage };
}

const events: readonly TurnEvent[] = [
  begins('moderator'),
  { type: 'seated', seated: { seats, how: 'moderated', dropped: [], latencyMs: 1 } },
  begins('sages'),
  ...keys.map((sage): TurnEvent => ({ type: 'sage_started', sage })),
  ...keys.map((sage) => answered(sage, `${sage} says yes.`)),
  begins('reviews'),
  ...keys.map((sage) => reviewed(sage)),
  begins('verdict'),
  concluded(),
  answeredEnd,
];

test('a card shows every stage, however many edits the stages before it took', async () => {
  const cards: string[] = [];
  let sending: Promise<unknown> = Promise.resolve();
  async function* slowly() {
    for (const event of events) {
      yield event;
      // What the event changes on the card is there before the next one comes.
      await nextRound();
      await sending;
    }
  }
  await using turn = await startTurn({ events: slowly });
  await turn.show({}, (request, send) => {
    const sent = send();
    if (request.method === 'PATCH') {
      cards.push(JSON.stringify(request.body));
      sending = sent;
    }
    return sent;
  });
  const shown = (words: string) => cards.some((card) => card.includes(words));
  expect(shown('is thinking')).toBe(true);
  expect(shown('0 of 8 answered.')).toBe(true);
  // Each has its own line.
  expect(cards.filter((card) => card.split('Sage 3').length > 2)).toEqual([]);
  expect(shown('The sages are reviewing each other blind: 0 of 8 done.')).toBe(true);
  expect(shown('The chair is writing the verdict.')).toBe(true);
  expect(cards.at(-1)).toContain('Read the whole council');
  expect(cards.length).toBeLessThanOrEqual(12);
});
