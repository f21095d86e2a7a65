/** What people with bad intentions, or none, do in Slack; and the same doings over signed requests. */

import { describe, expect, test } from 'vitest';
import { scopeNames } from '../../src/platforms/slack/connection/identity.ts';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import { hang } from '../fakes/scripted-model.ts';
import { type CouncilInSlack, startCouncil } from '../platforms/slack/slack-world.ts';

const scopes = scopeNames;
/** Fields in which Slack reads its own marks. */
const readFields: ReadonlySet<string> = new Set(['text', 'markdown_text', 'status', 'title']);

/** All that Slack would read marks in, wherever it stands in what was sent. */
function readTexts(value: unknown, parent = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one) => readTexts(one, parent));
  if (typeof value !== 'object' || value === null) return [];
  const type = 'type' in value ? value.type : parent;
  // In rich text, plain text and cells of tables nothing is read.
  const isPlain = type === 'plain_text' || type === 'raw_text' || parent === 'rich_text';
  return Object.entries(value).flatMap(([name, part]) => {
    if (typeof part === 'string') return readFields.has(name) && !isPlain ? [part] : [];
    return readTexts(part, type === 'rich_text' ? 'rich_text' : parent);
  });
}

function expectNothingLive({ slack }: CouncilInSlack): void {
  const texts = slack.calls.flatMap(({ args }) => readTexts(args));
  expect(texts.length).toBeGreaterThan(0);
  // `<@U…>` of the bot itself is nowhere needed either.
  expect(texts.filter((text) => /<(?:[@#!]|https?:)/.test(text))).toEqual([]);
  slack.assertNoViolations();
}

describe('in Slack', () => {
  test('nothing is live of what someone with a hostile name asks, is refused and is told', async () => {
    const models = scriptedModels({
      sages: { ben: [answer('<!channel> [bank](https://evil.example) <@U1>')] },
    });
    await using council = await startCouncil(models, { scopes });
    const { slack, channel } = council;
    const mallory = slack.addMember('<!channel> <https://evil.example|Boss>', { isAdmin: true });
    slack.changeChannel(channel, { members: new Set([...channel.members, mallory.user.id]) });
    const told = () =>
      slack.messages(channel).filter(({ ephemeralFor }) => ephemeralFor === mallory.user.id).length;
    const lines = [
      '/council ask Ben: &lt;!here&gt; <https://evil.example|click> `<!everyone>`?',
      `/council ask <!channel> ${'x'.repeat(300)}`,
      '/council ask --sages <!channel> why?',
      '/council <!channel>',
      '/council config set language <!channel>',
      '/council config set managers <@U1|ann>',
      '/council dismiss <!channel>',
      '/council receipt <!channel>',
    ];
    for (const [index, line] of lines.entries()) {
      await mallory.commands(channel, line);
      await slack.until(() => told() > index, line);
    }
    await mallory.mentions(channel, `<!channel> ${'x'.repeat(300)}`);
    await slack.until(() => told() > lines.length, 'a refusal');
    await council.bot.idle();
    await mallory.opensHome();
    await slack.until(() => mallory.home() !== undefined, 'a page');
    expectNothingLive(council);
  });

  test('two apps that mention each other do not talk for ever', async () => {
    const models = scriptedModels({ sages: { ben: [answer('Who asks?')] } });
    await using council = await startCouncil(models, { scopes });
    const { slack, ada, channel, bot } = council;
    const { botUserId } = slack.installation();
    const { thread } = await ada.mentions(channel, 'Ben: is anybody there?');
    await slack.until(
      () => slack.thread(channel, thread).some(({ text }) => text === 'Who asks?'),
      'the answer',
    );
    await bot.idle();
    for (const parts of [
      { bot_id: 'B9', user: 'U9' },
      { subtype: 'bot_message', bot_id: 'B9' },
    ]) {
      const ts = `${Number(thread) + 60}`;
      const text = `<@${botUserId}> Ben: I do.`;
      const event = { type: 'message', channel: channel.id, text, ts, thread_ts: thread, ...parts };
      const teamId = slack.workspace.id;
      for (const [subscription, type] of [
        ['message.channels', 'message'],
        ['app_mention', 'app_mention'],
      ] as const) {
        await slack.events.tell({ teamId, subscription, event: { ...event, type, event_ts: ts } });
      }
    }
    await ada.commands(channel, '/council help');
    await slack.until(
      () => slack.messages(channel).some(({ ephemeralFor }) => ephemeralFor === ada.user.id),
      'help',
    );
    const threadId = `slack:${slack.workspace.id}:${channel.id}:${thread}`;
    expect(await bot.store.turns.list(threadId, { limit: 9 })).toHaveLength(1);
  });

  test('a flood of one person holds up no one else', async () => {
    const slow = Array.from({ length: 5 }, () => hang);
    const models = scriptedModels({ sages: { ben: slow, ada: [answer('Yes.')] } });
    await using council = await startCouncil(models, { scopes });
    const { slack, ada, boss, channel } = council;
    await Promise.all(
      Array.from({ length: 40 }, (_, number) =>
        ada.commands(channel, `/council ask Ben: and ${number}?`),
      ),
    );
    const { thread } = await boss.mentions(channel, 'Ada: may I?');
    await slack.until(
      () => slack.thread(channel, thread).some(({ text }) => text === 'Yes.'),
      'the answer to somebody else',
    );
    const seen = () => slack.messages(channel).filter(({ isApp }) => isApp);
    const told = () => seen().filter(({ ephemeralFor }) => ephemeralFor === ada.user.id);
    await slack.until(() => told().length === 40, 'an answer to each of them');
    const questions = seen().filter(
      ({ text, ephemeralFor }) => !ephemeralFor && text.includes('asks the council'),
    );
    expect(questions).toHaveLength(5);
    slack.assertNoViolations();
  });
});

describe('over signed requests', () => {
  test('commands, modals and buttons do the same', async () => {
    const models = scriptedModels({ sages: { ben: [hang] } });
    await using council = await startCouncil(models, { scopes, isOverHttp: true });
    const { slack, boss, channel, bot } = council;
    await boss.commands(channel, '/council config');
    await slack.until(() => boss.modal()?.text.includes('Depth') === true, 'the settings');
    await boss.submits({ language: '1' });
    expect(Object.keys(boss.modal()?.errors ?? {})).toEqual(['channel|language']);
    await boss.submits({ language: 'Welsh' });
    expect(boss.modal()?.text).toContain('Changed: language');
    await boss.commands(channel, '/council ask Ben: why?');
    const stop = () =>
      slack.messages(channel).find(({ blocks }) => JSON.stringify(blocks).includes('council:stop'));
    await slack.until(() => stop() !== undefined, 'a button');
    await boss.presses({ channel, ts: stop()?.ts ?? '' }, 'Stop');
    await bot.idle();
    await slack.until(
      () => slack.messages(channel).some(({ text }) => text.startsWith('Stopped. Anything said')),
      'that it was stopped',
    );
    await boss.opensHome();
    await slack.until(() => boss.home()?.text.includes('Ben: why?') === true, 'a page');
    slack.assertNoViolations();
  });
});
