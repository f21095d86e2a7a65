/** What people do below a verdict in Slack, by its buttons and its menu. */

import { expect, test } from 'vitest';
import { menuId } from '../../src/platforms/slack/action-id.ts';
import { scopeNames } from '../../src/platforms/slack/connection/identity.ts';
import { fileSettings } from '../bot/bot-fixture.ts';
import { answer, scriptedModels, verdict, wholeScript } from '../council/scripted-council.ts';
import type { Line } from '../fakes/scripted-model.ts';
import {
  type CouncilInSlack,
  type CouncilOptions,
  startCouncil,
} from '../platforms/slack/slack-world.ts';
import { unlimited } from '../platforms/unlimited.ts';

const suggesting = JSON.stringify({
  ...JSON.parse(verdict),
  next_questions: ['Ben: what about Windows?', 'Ben: who would do it?'],
});

async function concluded(more: Readonly<Record<string, Line>>, options: CouncilOptions = {}) {
  const sages = Object.fromEntries(
    Object.entries(wholeScript.sages ?? {}).map(([key, lines]) => [
      key,
      [...lines, ...(more[key] ? [more[key]] : [])],
    ]),
  );
  const models = scriptedModels({ ...wholeScript, sages, chair: [suggesting] });
  const council = {
    ...(await startCouncil(models, { scopes: scopeNames, pacing: unlimited, ...options })),
    models,
  };
  const { slack, ada, channel, bot } = council;
  const { thread } = await ada.mentions(channel, 'Should we rewrite the engine?');
  const said = () =>
    slack
      .thread(channel, thread)
      .filter(({ isApp, ephemeralFor }) => isApp && ephemeralFor === undefined);
  const shown = () => {
    const one = said().find(({ text }) => text.includes('Rewrite it in parts.'));
    if (!one) throw new Error('There is no verdict.');
    return one;
  };
  await slack.until(
    () => said().some(({ text }) => text.includes('Rewrite it in parts.')),
    'the verdict',
  );
  await bot.idle();
  const threadId = `slack:${slack.workspace.id}:${channel.id}:${thread}`;
  const [turn] = await bot.store.turns.list(threadId, { limit: 1 });
  const at = { channel, ts: shown().ts };
  return { council, thread, said, shown, at, turnId: turn?.turnId ?? '' };
}

/** What only a person was told, once so much was. */
async function told(
  { slack, channel }: CouncilInSlack,
  { id }: { readonly id: string },
  count: number,
) {
  const privately = () => slack.messages(channel).filter(({ ephemeralFor }) => ephemeralFor === id);
  await slack.until(() => privately().length >= count, 'what is told');
  return privately().map(({ text }) => text);
}

function mustBeQuiet({ slack, lines }: CouncilInSlack): void {
  slack.assertNoViolations();
  expect(lines.filter((line) => !line.startsWith('info'))).toEqual([]);
}

test('a sage is asked again from the menu, once by two presses, and the verdict tells so', async () => {
  const { council, said, shown, at, turnId } = await concluded({ ada: answer('Ada, once more.') });
  await using _ = council;
  const { ada, bot, slack } = council;
  expect(JSON.stringify(shown().blocks)).toContain('Ada Sage (test:chair)');
  await Promise.all([1, 2].map(() => ada.chooses(at, menuId(turnId), 'Ada Sage')));
  const words = await told(council, ada.user, 2);
  expect(words.toSorted()).toEqual(['It has been asked already.', 'The council is being seated.']);
  await slack.until(() => said().some(({ text }) => text === 'Ada, once more.'), 'the answer');
  await bot.idle();
  expect(said().filter(({ text }) => text === 'Ada, once more.')).toHaveLength(1);
  expect(said().filter(({ text }) => text === 'Ada says yes.')).toHaveLength(1);
  expect(JSON.stringify(said())).toContain('ada asks Ada Sage again. The earlier answer stays');
  await expect.poll(() => JSON.stringify(shown().blocks)).toContain('Asked again since: Ada Sage.');
  mustBeQuiet(council);
});

test('a suggested question is asked once, is read where no one has posted it, and is gone', async () => {
  const { council, said, shown, at } = await concluded({ ben: answer('Ben would.') });
  await using _ = council;
  const { ada, bot, slack } = council;
  await Promise.all([1, 2].map(() => ada.presses(at, 'Ben: who would do it?')));
  const words = await told(council, ada.user, 2);
  expect(words.toSorted()).toEqual(['It has been asked already.', 'The council is being seated.']);
  await slack.until(() => said().some(({ text }) => text === 'Ben would.'), 'the answer');
  await bot.idle();
  expect(
    said()
      .map(({ text }) => text)
      .join('\n'),
  ).toContain('ada asks what the verdict suggested.\n“Ben: who would do it?”');
  await expect.poll(() => JSON.stringify(shown().blocks)).not.toContain('who would do it');
  expect(JSON.stringify(shown().blocks)).toContain('Ben: what about Windows?');
  mustBeQuiet(council);
});

test('a verdict is brought up to date where Slack takes no chart, with bars of text', async () => {
  const { council, shown, at } = await concluded({ ben: answer('Ben would.') });
  await using _ = council;
  const { ada, bot, slack } = council;
  slack.faults.decide(({ args }) =>
    JSON.stringify(args).includes('data_visualization')
      ? { kind: 'refusal', error: 'invalid_blocks' }
      : undefined,
  );
  await ada.presses(at, 'Ben: who would do it?');
  await told(council, ada.user, 1);
  await bot.idle();
  await expect.poll(() => JSON.stringify(shown().blocks)).not.toContain('who would do it');
  expect(shown().text).toMatch(/█.* 1\. /);
});

test('a verdict is posted to the channel once, by two presses of two people, though Slack was silent', async () => {
  const { council, shown, at } = await concluded({}, { retryWaitsMs: [10, 10] });
  await using _ = council;
  const { ada, boss, slack, channel } = council;
  const inChannel = () =>
    slack
      .messages(channel)
      .filter((one) => one.isApp && !one.ephemeralFor && one.threadTs === undefined);
  slack.faults.plan('chat.postMessage', { kind: 'silence after processing' });
  await Promise.all([ada, boss].map((who) => who.presses(at, 'Post to the channel')));
  const words = [...(await told(council, ada.user, 1)), ...(await told(council, boss.user, 1))];
  expect(words.toSorted()).toEqual([
    expect.stringContaining('It has just been tried.'),
    expect.stringContaining('The verdict is in the channel now.'),
  ]);
  expect(inChannel()).toHaveLength(1);
  expect(inChannel()[0]?.text).toContain('Rewrite it in parts.');
  await expect.poll(() => JSON.stringify(shown().blocks)).toContain('Posted to the channel.');
  expect(JSON.stringify(shown().blocks)).not.toContain('Post to the channel"');
  slack.assertNoViolations();
});

test('a verdict that was posted is taken out of the channel with its question', async () => {
  const { council, at, thread } = await concluded(
    {},
    { bot: { settings: { ...fileSettings, forgetDeleted: true } } },
  );
  await using _ = council;
  const { ada, slack, channel } = council;
  await ada.presses(at, 'Post to the channel');
  await told(council, ada.user, 1);
  const posted = () =>
    slack
      .messages(channel)
      .some(
        (one) =>
          one.isApp && one.threadTs === undefined && one.text.includes('Rewrite it in parts.'),
      );
  expect(posted()).toBe(true);
  await ada.deletes(channel, { ts: thread });
  await expect.poll(posted).toBe(false);
});

test('a question below a verdict that was posted to the channel is answered with it', async () => {
  const { council, at } = await concluded({ ben: answer('Ben would.') });
  await using _ = council;
  const { ada, slack, channel, bot, models } = council;
  await ada.presses(at, 'Post to the channel');
  await told(council, ada.user, 1);
  const posted = slack
    .messages(channel)
    .find((one) => one.isApp && !one.ephemeralFor && one.threadTs === undefined);
  if (!posted) throw new Error('It was not posted.');
  await ada.mentions(channel, 'Ben: and why?', { thread: posted.ts });
  await slack.until(() => models.unsaid() === 0, 'the question');
  await bot.idle();
  const { messages } = models.sage({ key: 'ben' }).requests.at(-1) ?? {};
  expect(JSON.stringify(messages)).toMatch(/<said from=.{0,9}Council.*Rewrite it in parts\./);
  mustBeQuiet(council);
});
