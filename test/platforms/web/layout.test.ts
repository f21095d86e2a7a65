import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WebTurn } from '../../../src/platforms/web/web-council.ts';
import { endedTurn } from './ended-turn.ts';
import { askedTurn, noShares, openWeb } from './web-world.ts';

const executablePath = '/usr/bin/chromium';
const turn = endedTurn('Wait a year. '.repeat(30));

describe.skipIf(!existsSync(executablePath))('how pages are laid out', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  });
  afterAll(() => browser.close());

  test('as wide as can be read, with and without the conversations beside them', async () => {
    const { origin } = await openWeb([turn], { shares: { ...noShares, find: async () => turn } });
    const widths = async (width: number) => {
      const page = await browser.newPage({ viewport: { width, height: 800 } });
      const found: unknown[] = [];
      for (const path of ['/turns/t1', '/shared/known', '/sign-in', '/nothing']) {
        await page.goto(`${origin}${path}`);
        found.push(await page.evaluate(`document.querySelector('main').clientWidth`));
      }
      return found;
    };
    expect(await widths(1280)).toEqual([800, 800, 800, 800]);
    expect(new Set(await widths(320)).size).toBe(1);
  });

  test.each([
    ['Wait:', 'ltr'],
    ['انتظر:', 'rtl'],
  ])(
    'lists in the direction of what is written, and code from left to right: %s',
    async (text, direction) => {
      const said = `${text}\n\n- ${text} \`a\`\n\n\`\`\`\n${text}\n\`\`\``;
      const { origin } = await openWeb([endedTurn(said)]);
      const page = await browser.newPage();
      await page.goto(`${origin}/turns/t1`);
      const directions = await page.evaluate(`['ul', 'li', 'code', 'pre'].map((name) =>
      getComputedStyle(document.querySelector('.verdict .said ' + name)).direction)`);
      expect(directions).toEqual([direction, direction, 'ltr', 'ltr']);
    },
  );

  test.each([
    ['a pointer', false],
    ['a finger, wherever it touched the page before', true],
  ])(
    'what is being read where it is, in its tab, when the turn ends: with %s',
    async (_how, hasTouch) => {
      const whole = endedTurn('Wait another year, and then look again. '.repeat(40));
      const { ended: _, ...past } = whole.past;
      const turns: WebTurn[] = [{ ...askedTurn('t1'), status: 'running', past }];
      const { origin } = await openWeb(turns);
      const viewport = { width: 320, height: 600 };
      const page = await browser.newPage({ viewport, hasTouch, isMobile: hasTouch });
      const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
      await page.route('**/live', async (route) => {
        await isRead;
        turns[0] = whole;
        const body = 'event: whole\ndata:\n\n';
        await route.fulfill({ contentType: 'text/event-stream', body });
      });
      await page.goto(`${origin}/turns/t1`);
      if (hasTouch) await page.tap('#answer-marcus_aurelius');
      // The reader is in the middle of the second answer, which scrolls in its pane.
      const top = () =>
        page.evaluate<number>(`(({ firstChild, scrollTop }) =>
        firstChild.getBoundingClientRect().top)(document.querySelector('#answer-nassim_taleb .said'))`);
      await page.evaluate(`(() => {
      const said = document.querySelector('#answer-nassim_taleb .said');
      said.scrollIntoView();
      said.scrollTop = 150;
    })()`);
      const before = await top();
      read();
      await page.waitForSelector('main[data-live=""]');
      expect(await page.locator('.pane:visible').getAttribute('id')).toBe('answer-nassim_taleb');
      expect(Math.abs((await top()) - before)).toBeLessThan(2);
    },
  );

  test('an answer that is sent again as it stands untouched, for those who read it', async () => {
    const { ended: _, ...past } = turn.past;
    const { origin } = await openWeb([{ ...askedTurn('t1'), status: 'running', past }]);
    const page = await browser.newPage();
    const region = JSON.stringify({ id: 'answer-nassim_taleb', html: '<p class="said">Wait.</p>' });
    const frame = `event: region\ndata: ${region}\n\n`;
    let streams = 0;
    await page.route('**/live', (route) => {
      streams += 1;
      const body = `retry: 1\n${frame}${frame}`;
      return route.fulfill({ contentType: 'text/event-stream', body });
    });
    await page.goto(`${origin}/turns/t1`);
    await page.waitForFunction(
      `((said) => said && (said.isRead = true))(document.querySelector('.pane > p.said'))`,
    );
    const before = streams;
    await expect.poll(() => streams).toBeGreaterThan(before + 1);
    expect(await page.evaluate(`document.querySelector('.pane > p.said').isRead`)).toBe(true);
  });

  test('the chosen tab and conversation so that they stand out where a person has chosen the colours', async () => {
    const { origin } = await openWeb([turn, askedTurn('t2')]);
    const context = await browser.newContext({ forcedColors: 'active' });
    const page = await context.newPage();
    await page.goto(`${origin}/turns/t1`);
    const styles = (selector: string, property: string) =>
      page.evaluate<readonly string[]>(
        `[...document.querySelectorAll('${selector}')].map((one) => getComputedStyle(one).getPropertyValue('${property}'))`,
      );
    const [chosen, other] = await styles('.tab', 'border-bottom-color');
    expect(chosen).not.toBe(other);
    expect(await styles('aside li a', 'outline-style')).toEqual(['solid', 'none']);
    await context.close();
  });

  test('tables of a receipt apart, and a note as a sentence', async () => {
    const table = { type: 'table', header: ['sage'], rows: [['Ada']] } as const;
    const command = async () => ({ blocks: [table, table], isPrivate: true });
    const { origin } = await openWeb([turn], {}, { command });
    const page = await browser.newPage();
    await page.goto(`${origin}/turns/t1/receipt`);
    const gap = await page.evaluate(`(([one, other]) =>
      other.getBoundingClientRect().top - one.getBoundingClientRect().bottom)(document.querySelectorAll('main .table'))`);
    expect(gap).toBe(16);
    await page.goto(`${origin}/turns/t1`);
    expect(await page.innerText('.verdict .note:last-child')).toMatch(/^Confidence\nMedium\. /);
  });
});
