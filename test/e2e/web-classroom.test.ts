/** The page on phones with a network that breaks, with large text, and on a computer that several people use. */

import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { localCaller } from '../../src/platforms/web/caller.ts';
import { keysIn } from '../platforms/web/keys-in.ts';
import { openWebCouncil } from './open-web.ts';
import { startRehearsedModels } from './rehearsed-models.ts';

const executablePath = '/usr/bin/chromium';
const phone = { width: 360, height: 640 };
const question = 'Should we plant a garden?';

describe.skipIf(!existsSync(executablePath))('the page in a classroom', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath,
      // The back button restores pages as they were, as it does for people.
      ignoreDefaultArgs: ['--disable-back-forward-cache'],
      args: ['--no-sandbox', '--blink-settings=defaultFontSize=32'],
    });
  });
  afterAll(() => browser.close());

  async function open(): Promise<Page> {
    const context = await browser.newContext({ viewport: phone });
    onTestFinished(() => context.close());
    return context.newPage();
  }

  const back = async (page: Page) => {
    await page.evaluate('history.back()').catch(() => undefined);
    await page.waitForSelector('h1');
  };

  test('a question whose reply is lost on the way is asked once, and not written again', async () => {
    const models = await startRehearsedModels();
    const { origin, web } = await openWebCouncil(models.settings);
    const page = await open();
    let isLost = true;
    await page.route('**/ask', async (route) => {
      if (!isLost) return route.continue();
      await route.fetch({ maxRedirects: 0 });
      return route.abort('connectionreset');
    });
    const send = () => page.click('.ask .primary').catch(() => undefined);
    const asked = async () => (await web.council.threads(localCaller, { limit: 9 })).length;
    await page.goto(origin);
    await page.fill('#question', question);
    await page.selectOption('#depth', 'quick');
    await send();
    await page.waitForURL(/^chrome-error:/);
    await page.goto(origin);
    expect(await page.inputValue('#question')).toBe(question);
    expect(await page.inputValue('#depth')).toBe('quick');
    await send();
    await page.waitForURL(/^chrome-error:/);
    isLost = false;
    await back(page);
    await Promise.all([page.waitForURL(/\/turns\//), send()]);
    expect(await asked()).toBe(1);
    await page.goto(origin);
    expect(await page.inputValue('#question')).toBe('');
    await page.fill('#question', question);
    await Promise.all([page.waitForURL(/\/turns\//), send()]);
    expect(await asked()).toBe(2);
  });

  test('shows nothing more of a person who has signed out, however far back', async () => {
    const models = await startRehearsedModels();
    const { application, origin } = await openWebCouncil(models.settings);
    const uma = { name: 'Uma', workspace: 'local', requestsPerMinute: 120, limits: {} };
    const keys = keysIn(application.store.settings);
    const { secret } = await keys.make({ ...uma, scopes: ['ask', 'read'] }, Date.now());
    const page = await open();
    const signIn = async (tab: Page) => {
      await tab.goto(`${origin}/sign-in`);
      await tab.fill('#key', secret);
      await Promise.all([tab.waitForURL(`${origin}/`), tab.click('.primary')]);
    };
    await signIn(page);
    const other = await page.context().newPage();
    await other.route('**/ask', (route) => route.abort('connectionreset'));
    await other.goto(origin);
    await other.fill('#question', question);
    await other.click('.ask .primary').catch(() => undefined);
    await other.waitForURL(/^chrome-error:/);
    await other.goto(origin);
    expect(await other.inputValue('#question')).toBe(question);
    const settings = page.waitForURL(/settings/);
    await Promise.all([settings, page.click('text=Settings')]);
    await page.evaluate('isSeenByUma = true');
    await Promise.all([page.waitForURL(/sign-in/), page.click('text=Sign out')]);
    await back(page);
    await expect.poll(() => page.evaluate('window.isSeenByUma').catch(() => true)).toBeUndefined();
    await signIn(other);
    expect(await other.inputValue('#question')).toBe('');
  });

  test('nothing is cut off where text is twice as large, and the receipt can be read', async () => {
    const models = await startRehearsedModels();
    const { origin } = await openWebCouncil(models.settings);
    const page = await open();
    await page.goto(origin);
    const isCut = 'document.documentElement.scrollWidth > innerWidth';
    expect(await page.evaluate(isCut)).toBe(false);
    await page.fill('#question', question);
    await Promise.all([page.waitForURL(/\/turns\//), page.click('.ask .primary')]);
    await page.waitForSelector('main[data-live=""]');
    expect(await page.evaluate(isCut)).toBe(false);
    await page.click('text=How it came about');
    const widths = await page.$$eval('dd', (all) => all.map(({ clientWidth }) => clientWidth));
    expect(Math.min(...widths)).toBeGreaterThan(phone.width / 2);
  });
});
