import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { readRecording } from '../../../src/app/recordings.ts';
import { stoppedEnd } from '../../../src/council/events.ts';
import { recordedEvents } from '../../../src/council/recording.ts';
import { changedBy } from '../../../src/platforms/web/page/turn-regions.ts';
import { applyEvent, initialView } from '../../../src/platforms/web/page/turn-view.ts';
import { askedTurn, openWeb } from './web-world.ts';

test('a screen reader is told each thing once, in order', () => {
  let view = initialView(askedTurn('turn-1'));
  const said: string[] = [];
  for (const event of recordedEvents(readRecording('father'))) {
    view = applyEvent(view, event);
    const { say } = changedBy(event, view);
    if (say !== undefined) said.push(say);
  }
  expect(said[0]).toBe('The council is being seated.');
  expect(said[1]).toMatch(/^Seated: .+, .+ and .+\.$/);
  expect(said.at(-1)).toMatch(/^The council has answered\./);
  expect(said).toEqual([...new Set(said)]);
});

test('a screen reader is told once that the council was stopped', () => {
  const event = { type: 'ended', end: stoppedEnd(true) } as const;
  const view = applyEvent(initialView(askedTurn('turn-1')), event);
  expect(changedBy(event, view).say).toBe('Stopped. What was said is kept.');
});

const executablePath = '/usr/bin/chromium';

test.skipIf(!existsSync(executablePath))(
  'a screen reader is told nothing again by a stream that begins anew',
  async () => {
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    onTestFinished(() => browser.close());
    const { origin } = await openWeb([askedTurn('turn-1')]);
    const page = await browser.newPage();
    let streams = 0;
    await page.route('**/live', (route) => {
      streams += 1;
      const sentences = ['Seated: Ada.', 'Ada answered in 2 s.', ...(streams > 2 ? ['Done.'] : [])];
      const frames = sentences.map((one) => `event: say\ndata: ${JSON.stringify(one)}\n\n`);
      return route.fulfill({
        contentType: 'text/event-stream',
        body: `retry: 1\n${frames.join('')}`,
      });
    });
    const heard: string[] = [];
    await page.exposeFunction('heard', (sentence: string) => heard.push(sentence));
    await page.addInitScript(`document.addEventListener('DOMContentLoaded', () => {
      const status = document.getElementById('said');
      new MutationObserver(() => heard(status.textContent)).observe(status, { childList: true });
    })`);
    await page.goto(`${origin}/turns/turn-1`);
    await expect.poll(() => heard.join(' ')).toContain('Done.');
    expect(heard.join(' ')).toBe('Seated: Ada. Ada answered in 2 s. Done.');
    // Of two that came one by one at the same moment, only the last would be told.
    expect(heard[0]).toContain('Seated: Ada. Ada answered in 2 s.');
  },
);
