import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { localCaller } from '../../src/platforms/web/caller.ts';
import { script, style } from '../../src/platforms/web/page/layout.ts';
import { openWebCouncil } from './open-web.ts';
import { startRehearsedModels } from './rehearsed-models.ts';

const executablePath = '/usr/bin/chromium';
const isHere = existsSync(executablePath);
const question = 'Should we rewrite <b>it</b>?';
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds wrong with a page, e.g. `color-contrast: .state`. */
async function findings(page: Page): Promise<readonly string[]> {
  // Evaluated by the browser's own tools, which the page's policy does not bind.
  const found: unknown = await page.evaluate(
    `${axe}; axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target.join(' '))))`,
  );
  return Array.isArray(found) ? found : ['nothing was found out'];
}

async function ask(page: Page, origin: string, words = question): Promise<void> {
  await page.goto(origin);
  await page.fill('#question', words);
  await Promise.all([page.waitForURL(/\/turns\//), page.keyboard.press('Control+Enter')]);
}

const whole = 'main[data-live=""]';

test('script and style keep to their budgets, compressed', () => {
  expect(gzipSync(script.content).length).toBeLessThan(25_000);
  expect(gzipSync(style.content).length).toBeLessThan(10_000);
});

describe.skipIf(!isHere)(
  `the page in a browser${isHere ? '' : ` (none at ${executablePath})`}`,
  () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    });
    afterAll(() => browser.close());

    /** A page that fails the test where it breaks its own policy, has an error, or asks another server. */
    async function open(
      origin: string,
      options: BrowserContextOptions = {},
      expected: readonly RegExp[] = [],
    ): Promise<Page> {
      const context = await browser.newContext(options);
      const page = await context.newPage();
      const wrong: string[] = [];
      page.on('console', (line) => {
        if (line.type() !== 'error' || expected.some((one) => one.test(line.text()))) return;
        wrong.push(line.text());
      });
      page.on('pageerror', (error) => wrong.push(error.message));
      page.on('request', (request) => {
        const url = request.url();
        if (!url.startsWith(origin) && !url.startsWith('data:')) wrong.push(url);
      });
      onTestFinished(async () => {
        await context.close();
        expect(wrong).toEqual([]);
      });
      return page;
    }

    test('shows a turn as it goes, and then whole, with the verdict first', async () => {
      const models = await startRehearsedModels(undefined, { latencyMs: 150 });
      const { origin } = await openWebCouncil(models.settings);
      const page = await open(origin);
      await ask(page, origin);
      const said: string[] = [];
      await page.exposeFunction('heard', (sentence: string) => said.push(sentence));
      await page.evaluate(
        `new MutationObserver(() => heard(document.getElementById('said').textContent)).observe(document.getElementById('said'), { childList: true })`,
      );
      await page.waitForSelector(whole);
      const headings = await page.locator('main h1, main h2').allTextContents();
      expect(headings.slice(0, 3)).toEqual([question, 'Verdict', 'What the sages say']);
      expect(await page.textContent('#ranking')).toContain('By their ballots, the sages are');
      await expect.poll(() => said.at(-1)).toContain('The council has answered.');
      // Told are sentences, and each once.
      for (const sentence of said) expect(sentence).toMatch(/[.!]$/);
      expect(new Set(said).size).toBe(said.length);
      expect(await findings(page)).toEqual([]);
    });

    test('takes a question again whose sending was stopped, but not a second click', async () => {
      const models = await startRehearsedModels();
      const { origin } = await openWebCouncil(models.settings);
      const page = await open(origin);
      await page.clock.install();
      await page.goto(origin);
      await page.fill('#question', question);
      // Stops each sending, as a person does who presses Escape.
      await page.evaluate(
        `sent = 0; document.addEventListener('submit', (event) => { sent += event.defaultPrevented ? 0 : 1; event.preventDefault(); })`,
      );
      for (const expected of [1, 1]) {
        await page.keyboard.press('Control+Enter');
        expect(await page.evaluate('sent')).toBe(expected);
      }
      await page.clock.fastForward(10_000);
      await page.keyboard.press('Control+Enter');
      expect(await page.evaluate('sent')).toBe(2);
    });

    test('keeps a question that is being typed while a button beside it is pressed', async () => {
      const models = await startRehearsedModels();
      const { origin } = await openWebCouncil(models.settings);
      const page = await open(origin);
      await ask(page, origin);
      await page.waitForSelector(whole);
      await page.fill('#question', 'And then?');
      await page.selectOption('#depth', 'quick');
      await page.click('.ask summary');
      await page.check('input[value=ben]');
      const kept = async () => {
        expect(await page.inputValue('#question')).toBe('And then?');
        expect(await page.inputValue('#depth')).toBe('quick');
        const checked = page.locator('.ask :checked:visible');
        expect(
          await checked.evaluateAll((all) => all.map((one) => one.getAttribute('value'))),
        ).toEqual(['ben']);
      };
      await page.click('text=Make a link for others');
      await page.getByText('Withdraw').waitFor();
      await kept();
      const press = async (button: string) => {
        const { href } = new URL(page.url());
        await Promise.all([page.waitForURL((url) => url.href !== href), page.click(button)]);
        await page.waitForSelector(whole);
      };
      await press('button:text-is("Ask again")');
      await kept();
      await press('.ask .primary');
      expect(await page.inputValue('#question')).toBe('');
    });

    test('an answer is followed while it grows, and then shows its first sentence', async () => {
      const models = await startRehearsedModels((name) =>
        name === 'sage ada' ? { kind: 'stall', afterChars: 120 } : undefined,
      );
      const { origin } = await openWebCouncil(models.settings);
      const page = await open(origin);
      await page.addInitScript(`
        const low = new CSSStyleSheet();
        low.replaceSync('.pane > .said { max-height: 1em !important; }');
        document.adoptedStyleSheets = [low];`);
      await ask(page, origin);
      await page.getByText('answered in').nth(1).waitFor();
      await page.waitForFunction(`document.querySelector('#answer-ada > .said').scrollTop > 0`);
      const answered = await page.$$eval('.pane > .said:not([aria-busy])', (answers) =>
        answers.map(({ scrollTop, scrollHeight, clientHeight }) => ({
          scrollTop,
          isCut: scrollHeight > clientHeight,
        })),
      );
      expect(answered).toEqual(Array(2).fill({ scrollTop: 0, isCut: true }));
    });

    test('tells times in the reader’s time zone', async () => {
      const models = await startRehearsedModels();
      const { origin, web } = await openWebCouncil(models.settings);
      const page = await open(origin, { timezoneId: 'Asia/Kolkata', locale: 'en-GB' });
      await ask(page, origin);
      await page.waitForSelector(whole);
      const turn = await web.council.turn(localCaller, page.url().split('/').at(-1) ?? '');
      const shown = new Intl.DateTimeFormat('en-GB', {
        ...({ dateStyle: 'medium', timeStyle: 'short', timeZone: 'Asia/Kolkata' } as const),
      }).format(turn?.past.request.askedAt);
      const time = page.locator('.question time');
      expect(await time.textContent()).toBe(shown);
      await page.reload();
      expect(await time.textContent()).toBe(shown);
    });

    test('goes on after a reload, and shows two browsers the same', async () => {
      const models = await startRehearsedModels((name) =>
        name === 'chair' ? { kind: 'stall', afterChars: 10 } : undefined,
      );
      const { origin } = await openWebCouncil(models.settings);
      const page = await open(origin);
      await ask(page, origin);
      await page.getByText('answered in').first().waitFor();
      await page.reload();
      await page.getByText('answered in').first().waitFor();
      const other = await open(origin);
      await other.goto(page.url());
      await other.getByText('The chair is writing').first().waitFor();
      await page.click('text=Stop');
      await Promise.all([page.waitForSelector(whole), other.waitForSelector(whole)]);
      expect(await other.textContent('main')).toBe(await page.textContent('main'));
    });

    test('holds no connection in a hidden tab, so that the seventh tab loads, and goes on when it is seen', async () => {
      const models = await startRehearsedModels((name) =>
        name === 'chair' ? { kind: 'stall', afterChars: 10 } : undefined,
      );
      const { origin, web } = await openWebCouncil(models.settings);
      const first = await open(origin);
      await ask(first, origin);
      const show = (tab: Page, isShown: boolean) =>
        tab.evaluate(
          `Object.defineProperty(document, 'hidden', { value: ${!isShown}, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
        );
      for (let tabs = 1; tabs < 7; tabs += 1) {
        const tab = await first.context().newPage();
        await tab.goto(first.url());
        await tab.getByText('The chair is writing').first().waitFor();
        await show(tab, false);
      }
      await show(first, false);
      await web.council.stop(localCaller, first.url().split('/').at(-1) ?? '');
      const other = await first.context().newPage();
      await other.goto(first.url());
      await other.waitForSelector(whole);
      expect(await first.locator(whole).count()).toBe(0);
      await show(first, true);
      await first.waitForSelector(whole);
    });

    test('goes on when the server is back behind its proxy, with what was opened still open', async () => {
      const models = await startRehearsedModels((name) =>
        name === 'chair' ? { kind: 'stall', afterChars: 10 } : undefined,
      );
      const { origin, web } = await openWebCouncil(models.settings);
      const page = await open(origin, {}, [/502/]);
      let refusals = 2;
      await page.route(/\/live$|\/turns\/[^/]+$/, (route) => {
        const isReload = route.request().resourceType() === 'document';
        refusals -= isReload ? 0 : 1;
        return isReload || refusals < 0 ? route.continue() : route.fulfill({ status: 502 });
      });
      await ask(page, origin);
      await page.locator('.offline').waitFor();
      await page.getByText('The chair is writing').first().waitFor();
      expect(await page.locator('.offline').count()).toBe(0);
      await page.locator('.review summary').first().click();
      await web.council.stop(localCaller, page.url().split('/').at(-1) ?? '');
      await page.waitForSelector(whole);
      expect(await page.locator('.review[open]').count()).toBe(1);
      expect(await page.locator('.review[open] > summary:focus').count()).toBe(1);
    });

    test('says that the network is gone, and goes on when it is back', async () => {
      const models = await startRehearsedModels((name) =>
        name === 'chair' ? { kind: 'stall', afterChars: 10 } : undefined,
      );
      const { origin } = await openWebCouncil(models.settings);
      const page = await open(origin, {}, [/ERR_INTERNET_DISCONNECTED/]);
      await ask(page, origin);
      await page.getByText('The chair is writing').first().waitFor();
      await page.context().setOffline(true);
      await page.locator('.offline').waitFor();
      await page.context().setOffline(false);
      await page.locator('body:not(.offline)').waitFor();
    });

    /** A running turn's page whose server refuses everything but the page itself; its pauses take no time. */
    async function refused(status: number) {
      const models = await startRehearsedModels((name) =>
        name === 'chair' ? { kind: 'stall', afterChars: 10 } : undefined,
      );
      const { origin } = await openWebCouncil(models.settings);
      const page = await open(origin, {}, [new RegExp(`${status}`)]);
      await page.addInitScript(`
        pauses = [];
        const now = setTimeout;
        setTimeout = (work, ms, ...values) => {
          pauses.push(ms);
          return now(work, 0, ...values);
        };`);
      let isAllowed = false;
      await page.route(/\/live$|\/turns\/[^/]+$/, (route) => {
        const isReload = route.request().resourceType() === 'document';
        return isReload || isAllowed ? route.continue() : route.fulfill({ status });
      });
      await ask(page, origin);
      const allow = () => {
        isAllowed = true;
      };
      return { page, allow, pauses: () => page.evaluate<readonly number[]>('pauses') };
    }

    test('asks a server that refuses it ever more rarely, and anew once it is let in', async () => {
      const { page, allow, pauses } = await refused(503);
      const count = async () => (await pauses()).length;
      await expect.poll(count).toBeGreaterThan(6);
      expect((await pauses()).slice(0, 7)).toEqual([
        3000, 6000, 12_000, 24_000, 48_000, 60_000, 60_000,
      ]);
      expect(await page.locator('.offline').count()).toBe(1);
      allow();
      await page.getByText('The chair is writing').first().waitFor();
      expect(await page.locator('.offline').count()).toBe(0);
    });

    test.each([401, 403])('asks no more after a refusal that stays: %i', async (status) => {
      const { page, pauses } = await refused(status);
      await page.locator('.refused').waitFor();
      expect(await pauses()).toEqual([3000]);
      expect(await page.locator('.offline').count()).toBe(0);
    });

    test('lays out a question that is written from right to left', async () => {
      const models = await startRehearsedModels();
      const { origin } = await openWebCouncil(models.settings);
      const page = await open(origin);
      const arabic = 'هل نبدأ الآن?';
      await ask(page, origin, arabic);
      await page.waitForSelector(whole);
      /** Whether its question mark, the last sign, stands left of its first letter. */
      const endsLeft = `(selector) => {
        const [text] = document.querySelector(selector).childNodes;
        const left = (at) => {
          const range = new Range();
          range.setStart(text, at);
          range.setEnd(text, at + 1);
          return range.getBoundingClientRect().left;
        };
        return left(text.data.length - 1) < left(0);
      }`;
      for (const selector of ['main h1', 'aside li a'])
        expect(await page.evaluate(`(${endsLeft})('${selector}')`), selector).toBe(true);
    });

    test('is emptied when its turn is forgotten while it is watched', async () => {
      const models = await startRehearsedModels((name) =>
        name === 'chair' ? { kind: 'stall', afterChars: 10 } : undefined,
      );
      const { origin, web } = await openWebCouncil(models.settings);
      const page = await open(origin, {}, [/404/]);
      await ask(page, origin);
      await page.getByText('The chair is writing').first().waitFor();
      const turnId = page.url().split('/').at(-1) ?? '';
      const turn = await web.council.turn(localCaller, turnId);
      await web.council.command(localCaller, {
        of: turn?.threadId ?? '',
        command: 'memory',
        options: { do: 'forget', what: `turn ${turnId}`, confirm: true },
      });
      await page.getByText('There is no such turn').waitFor();
      expect(await page.locator('.pane').count()).toBe(0);
    });

    test('is done by keyboard alone: ask, choose a sage, read a review', async () => {
      const models = await startRehearsedModels();
      const { origin } = await openWebCouncil(models.settings);
      const page = await open(origin);
      await ask(page, origin);
      await page.waitForSelector(whole);
      const tabs = page.locator('.panes > input');
      await tabs.first().focus();
      await page.keyboard.press('ArrowRight');
      expect(await tabs.nth(1).isChecked()).toBe(true);
      expect(await page.locator('.pane:visible').count()).toBe(1);
      const chosen = (await tabs.nth(1).getAttribute('id'))?.replace('tab-', 'answer-');
      expect(await page.locator('.pane:visible').getAttribute('id')).toBe(chosen);
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('ArrowLeft');
      expect(await tabs.last().isChecked()).toBe(true);
      await page.locator('.review summary').first().focus();
      await page.keyboard.press('Enter');
      const review = page.locator('.review[open]');
      expect(await review.textContent()).toMatch(
        /FINAL RANKING[\s\S]*Ballot as read[\s\S]*Who was who/,
      );
      expect(await findings(page)).toEqual([]);
    });

    test.each([
      ['light', { colorScheme: 'light' }],
      ['dark', { colorScheme: 'dark' }],
      ['narrow', { viewport: { width: 320, height: 640 } }],
    ] as const)('has no findings and no sideways scrolling: %s', async (_, options) => {
      const models = await startRehearsedModels();
      const { origin } = await openWebCouncil(models.settings);
      const page = await open(origin, options);
      await ask(
        page,
        origin,
        'Shall we go Donaudampfschifffahrtsgesellschaftskapitänsmütze-wards or not?',
      );
      await page.waitForSelector(whole);
      const turn = page.url();
      for (const url of [turn, `${turn}/receipt`, origin, `${origin}/settings`]) {
        await page.goto(url);
        expect(await findings(page), url).toEqual([]);
        const width = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        expect(width, url).toBeLessThanOrEqual(0);
        const cutOff = await page.evaluate(
          `[...document.querySelectorAll('figure, main:not(.receipt) .table')].filter((one) => one.scrollWidth > one.clientWidth).length`,
        );
        expect(cutOff, url).toBe(0);
      }
      await page.goto(turn);
      const [chart, table] = [page.locator('figure > svg'), page.locator('figure table')];
      // A chart would be too small to read on a phone.
      const isNarrow = 'viewport' in options;
      expect(await chart.first().isVisible()).toBe(!isNarrow);
      expect(await table.first().isVisible()).toBe(isNarrow);
    });

    test('has colours, fields and numbers on a phone whose browser knows less, e.g. Safari 16', async () => {
      const models = await startRehearsedModels();
      const { origin } = await openWebCouncil(models.settings);
      const page = await open(origin, { viewport: { width: 320, height: 640 } });
      await page.route(/\.css$/, async (route) => {
        const response = await route.fetch();
        const unknown = /light-dark(?=\()|(?<=::)details-content/g;
        await route.fulfill({
          response,
          body: (await response.text()).replaceAll(unknown, 'not-known'),
        });
      });
      await ask(page, origin);
      await page.waitForSelector(whole);
      const styleOf = (selector: string, name: string) =>
        page.evaluate<string>(
          `getComputedStyle(document.querySelector('${selector}')).getPropertyValue('${name}')`,
        );
      expect(await styleOf('textarea', 'border-top-style')).toBe('solid');
      expect(await styleOf('.primary', 'background-color')).toBe('rgb(42, 101, 73)');
      await page.getByText('Ranking by 3 blind ballots, in numbers').click();
      expect(await page.locator('figure table').first().isVisible()).toBe(true);
    });

    test('is whole without scripts', async () => {
      const models = await startRehearsedModels();
      const { origin, application } = await openWebCouncil(models.settings);
      const page = await open(origin, { javaScriptEnabled: false });
      await page.goto(origin);
      await page.fill('#question', question);
      await Promise.all([page.waitForURL(/\/turns\//), page.click('.primary')]);
      await application.queue.idle();
      await page.reload();
      const text = (await page.textContent('main')) ?? '';
      expect(text).toContain(question);
      for (const sage of ['Ada Sage', 'Ben Sage', 'Cleo Sage']) {
        await page.click(`label.tab:has-text("${sage}")`);
        expect(await page.locator('.pane:visible h3').textContent()).toContain(sage);
      }
      expect(text.indexOf('Verdict')).toBeLessThan(text.indexOf('What the sages say'));
      await page.fill('#question', 'And then?');
      await page.click('.ask summary');
      await page.check('input[value=ben]');
      const first = page.url();
      await Promise.all([
        page.waitForURL((url) => url.href !== first),
        page.click('.ask .primary'),
      ]);
      await application.queue.idle();
      await page.reload();
      expect(await page.locator('.pane h3').allTextContents()).toEqual([
        expect.stringContaining('Ben Sage'),
      ]);
      await page.click('.question a');
      expect(await page.locator('.turns li').count()).toBe(2);
    });
  },
);
