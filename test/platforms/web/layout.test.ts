import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endedTurn } from './ended-turn.ts';
import { noShares, openWeb } from './web-world.ts';

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
