import { expect, test } from 'vitest';
import { readRecording } from '../../../src/app/recordings.ts';
import { stoppedEnd } from '../../../src/council/events.ts';
import { recordedEvents } from '../../../src/council/recording.ts';
import { changedBy } from '../../../src/platforms/web/page/turn-regions.ts';
import { applyEvent, initialView } from '../../../src/platforms/web/page/turn-view.ts';
import { askedTurn } from './web-world.ts';

test('a screen reader is told each thing once, in order', () => {
  let view = initialView(askedTurn('turn-1'));
  const said: string[] = [];
  for (const event of recordedEvents(readRecording('father'))) {
    view = applyEvent(view, event);
    const { say } = changedBy(event, view);
    if (say !== undefined) said.push(say);
  }
  expect(said[0]).toBe('The council is taking its seats.');
  expect(said[1]).toMatch(/^Seated: .+, .+ and .+\.$/);
  expect(said.at(-1)).toMatch(/^The council has answered\./);
  expect(said).toEqual([...new Set(said)]);
});

test('a screen reader is told once that the council was stopped', () => {
  const event = { type: 'ended', end: stoppedEnd(true) } as const;
  const view = applyEvent(initialView(askedTurn('turn-1')), event);
  expect(changedBy(event, view).say).toBe('Stopped. What was said is kept.');
});
