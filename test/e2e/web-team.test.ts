/** The page for a team that shares a key, with a key each for some: who may delete, stop and share, and long texts. */

import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { keysIn } from '../platforms/web/keys-in.ts';
import { openWebCouncil } from './open-web.ts';
import { startRehearsedModels } from './rehearsed-models.ts';

const executablePath = '/usr/bin/chromium';
const salary = 'Is my salary of 52,000 euros too low?';

describe.skipIf(!existsSync(executablePath))('the page of a team', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath,
      ignoreDefaultArgs: ['--disable-back-forward-cache'],
      args: ['--no-sandbox'],
    });
  });
  afterAll(() => browser.close());

  async function openTeam() {
    const models = await startRehearsedModels();
    const { application, origin } = await openWebCouncil(models.settings);
    const keys = keysIn(application.store.settings);
    /** Makes a key; the function returned opens a browser that is signed in with it. */
    const keyFor = async (name: string) => {
      const key = { name, workspace: 'team', requestsPerMinute: 1000, limits: {} };
      const { secret } = await keys.make({ ...key, scopes: ['ask', 'read'] }, Date.now());
      return async (options: BrowserContextOptions = {}, script = ''): Promise<Page> => {
        const context = await browser.newContext(options);
        onTestFinished(() => context.close());
        await context.addInitScript(script);
        const page = await context.newPage();
        await page.goto(`${origin}/sign-in`);
        await page.fill('#key', secret);
        await Promise.all([page.waitForURL(`${origin}/`), page.click('.primary')]);
        return page;
      };
    };
    const ask = async (page: Page, question: string) => {
      await page.goto(origin);
      await page.fill('#question', question);
      await page.selectOption('#depth', 'quick');
      await Promise.all([page.waitForURL(/\/turns\//), page.click('.ask .primary')]);
      await application.queue.idle();
      await page.goto(page.url());
      return page.url();
    };
    return { origin, application, keyFor, ask };
  }

  test.each([true, false])(
    'deletes a question, says before what goes; scripts: %s',
    async (javaScriptEnabled) => {
      const { origin, keyFor, ask, application } = await openTeam();
      const page = await (await keyFor('Marketing'))({ javaScriptEnabled });
      const turn = await ask(page, salary);
      await page.fill('#question', 'And what do I say to my boss?');
      await Promise.all([page.waitForURL((url) => url.href !== turn), page.click('.ask .primary')]);
      await application.queue.idle();
      await page.goto(turn);
      await page.click('text=Make a link for others');
      const link = await page.getAttribute('#share a', 'href');
      await page.click('text=Delete this question');
      const said = await page.textContent('main');
      expect(said).toContain('This would be deleted: 1 question, 3 answers');
      expect(said).toContain('Other questions of the conversation stay.');
      await page.click('text=Keep it');
      expect(await page.textContent('h1')).toBe(salary);
      await page.click('text=Delete this question');
      await page.click('text=Delete it for good');
      await page.waitForSelector('h1:text-is("Deleted")');
      expect(await page.textContent('aside')).not.toContain('52,000');
      for (const path of [turn, `${origin}${link}`]) {
        expect((await page.request.get(path)).status()).toBe(404);
      }
      await page.click('aside li a');
      expect(await page.locator('.turns li').allTextContents()).toEqual([
        expect.stringContaining('And what do I say to my boss?'),
      ]);
      if (!javaScriptEnabled) return;
      for (const there of ['Deleted', 'There is no such turn', 'There is no such turn']) {
        await page.goBack({ waitUntil: 'commit' });
        await expect.poll(() => page.textContent('h1').catch(() => '')).toContain(there);
      }
    },
  );

  test('lets only those with the key of a question delete, stop and share it, and everyone withdraw a link', async () => {
    const { origin, keyFor, ask } = await openTeam();
    const marketing = await keyFor('Marketing');
    const turn = await ask(await marketing(), salary);
    const anna = await (await keyFor('Anna'))();
    const offers = async (page: Page) => {
      await page.goto(turn);
      const texts = await page.locator('main a, main button').allTextContents();
      return ['Delete this question', 'Make a link for others', 'Withdraw'].filter((one) =>
        texts.includes(one),
      );
    };
    expect(await offers(anna)).toEqual([]);
    const press = (what: string) =>
      anna.request.post(`${turn}/${what}`, { headers: { origin }, maxRedirects: 0 });
    for (const what of ['forget', 'stop', 'share']) {
      const refused = await press(what);
      expect([what, refused.status(), await refused.text()]).toEqual([
        what,
        403,
        expect.stringContaining('Only the person who asked this question may'),
      ]);
    }
    const colleague = await marketing();
    expect(await offers(colleague)).toEqual(['Delete this question', 'Make a link for others']);
    await colleague.click('text=Make a link for others');
    expect(await offers(anna)).toEqual(['Withdraw']);
    await anna.click('text=Withdraw');
    expect(await offers(anna)).toEqual([]);
  });

  test.each([
    ['throws', 'get() { throw new DOMException("The operation is insecure."); }'],
    ['is missing', 'value: null'],
  ])('works where a browser keeps nothing: its storage %s', async (_, property) => {
    const { keyFor, ask } = await openTeam();
    const page = await (await keyFor('Marketing'))(
      {},
      `for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { ${property} });`,
    );
    const wrong: string[] = [];
    page.on('pageerror', ({ message }) => wrong.push(message));
    await ask(page, salary);
    await page.fill('#question', 'And then?');
    await page.click('text=Make a link for others');
    await page.getByText('Withdraw').waitFor();
    await page.evaluate('isSeenByUma = true');
    await Promise.all([page.waitForURL(/sign-in/), page.click('text=Sign out')]);
    await page.evaluate('history.back()').catch(() => undefined);
    await expect.poll(() => page.evaluate('window.isSeenByUma').catch(() => true)).toBeUndefined();
    expect(wrong).toEqual([]);
  });

  test('takes a text that is too long for a question as a document, with its beginning and end as the question', async () => {
    const { application, keyFor, ask } = await openTeam();
    const page = await (await keyFor('Marketing'))({ viewport: { width: 360, height: 640 } });
    const contract = '§ 1 The tenant keeps the rooms clean.\n'.repeat(240);
    const text = `What is unfair in this?\n\n${contract}\nAnswer in German.`;
    const turn = await ask(page, text);
    const shown = (await page.textContent('h1')) ?? '';
    expect(shown.length).toBeLessThanOrEqual(6000);
    expect(shown).toMatch(/^\s*What is unfair in this\?[\s\S]*\[…\][\s\S]*Answer in German\.$/);
    expect(await page.textContent('main')).toContain('Read message.txt.');
    const { y = 0 } = (await page.locator('#verdict').boundingBox()) ?? {};
    expect(y).toBeLessThan(640);
    await page.click('.question a');
    const heading = (await page.textContent('.turns h2')) ?? '';
    expect(heading.length).toBeLessThanOrEqual(280);
    expect(heading).toMatch(/^What is unfair/);
    const [, thread = ''] = page.url().split('/threads/');
    const stored = await application.store.turns.read({
      turnId: turn.split('/').at(-1) ?? '',
      threadId: `web:team:council:${thread}`,
    });
    expect(JSON.stringify(stored).includes(JSON.stringify(text).slice(1, -1))).toBe(true);
  });
});
