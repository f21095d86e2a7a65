import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { endedTurn } from './ended-turn.ts';
import { noShares, openWeb } from './web-world.ts';

const executablePath = '/usr/bin/chromium';

test.skipIf(!existsSync(executablePath))(
  'a page is as wide as can be read, with and without the conversations beside it',
  async () => {
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    onTestFinished(() => browser.close());
    const turn = endedTurn('Wait a year. '.repeat(30));
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
  },
);
