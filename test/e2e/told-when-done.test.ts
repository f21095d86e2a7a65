/** Who asks is brought into the thread, and told once when it is done if they want it: on Discord and on Slack. */

import { describe, expect, test } from 'vitest';
import { scopeNames } from '../../src/platforms/slack/connection/identity.ts';
import { answer, scriptedModels, wholeScript } from '../council/scripted-council.ts';
import { ask, startCouncil as startInDiscord, textOf } from '../platforms/discord/discord-world.ts';
import { answered, customIds, slash } from '../platforms/discord/private-answers.ts';
import { startCouncil as startInSlack } from '../platforms/slack/slack-world.ts';

describe('in Discord', () => {
  test('who asks by command is in the thread, and no one is pinged who has not asked for it', async () => {
    await using council = await startInDiscord(scriptedModels(wholeScript));
    const { discord, channel, ada, bot } = council;
    ask(council, 'Should we rewrite the engine?');
    await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
    await bot.idle();
    const [thread] = discord.threads(channel.id);
    expect([...(thread?.members.keys() ?? [])]).toContain(ada.id);
    expect(discord.pings()).toEqual([]);
    expect(discord.violations.all).toEqual([]);
  });

  test('a person who wants it is mentioned once, below the verdict, and no one else is', async () => {
    const script = { ...wholeScript, chair: [hostileVerdict] };
    await using council = await startInDiscord(scriptedModels(script));
    const { discord, channel, ada, bot } = council;
    const shown = await answered(council, slash(council, 'config', { scope: 'mine' }));
    expect(textOf(shown)).toContain('Tell me when it is done');
    const [menu = ''] = customIds(shown).filter((id) => id.includes('|set|mine|notify'));
    discord.select(ada, shown, menu, ['yes']);
    await expect.poll(() => textOf(shown)).toContain('Changed: notify.');
    ask(council, 'Should we rewrite the engine?');
    await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
    await bot.idle();
    const said = discord.messages(discord.threads(channel.id)[0]?.id ?? '').map(textOf);
    expect(said.at(-1)?.trim()).toBe(`<@${ada.id}> The council has answered.`);
    expect(discord.pings()).toEqual([{ everyone: false, users: [ada.id], roles: [] }]);
    expect(discord.violations.all).toEqual([]);
  });

  test('a member sees no settings but their own', async () => {
    await using council = await startInDiscord(scriptedModels({}));
    const refused = await answered(council, slash(council, 'config'));
    expect(textOf(refused)).toContain('Only those who may manage this channel');
  });
});

const hostileVerdict = JSON.stringify({
  verdict: 'Ask <@123456789012345678> and @everyone.',
  consensus: [],
  disagreements: [],
  minority_report: '',
  confidence: 'low',
});

describe('in Slack', () => {
  const scopes = scopeNames;

  test('the post of a command names who asked, and no one is pinged at the end who has not asked for it', async () => {
    await using council = await startInSlack(scriptedModels({ sages: { ben: [answer('No.')] } }), {
      scopes,
    });
    const { ada, channel, slack, bot } = council;
    await ada.commands(channel, '/council ask Ben: and you?');
    const post = () =>
      slack.messages(channel).find(({ text }) => text.includes('asks the council'));
    await slack.until(() => post() !== undefined, 'the post');
    expect(post()?.text).toContain(`<@${ada.user.id}> asks the council`);
    await slack.until(
      () => slack.thread(channel, post()?.ts ?? '').some(({ text }) => text === 'No.'),
      'the answer',
    );
    await bot.idle();
    const inThread = slack.thread(channel, post()?.ts ?? '').slice(1);
    expect(inThread.map(({ text }) => text).join('\n')).not.toContain('<@');
    slack.assertNoViolations();
  });

  test('a person who wants it is mentioned once, below the verdict, and no one else is', async () => {
    const script = { ...wholeScript, chair: [hostileVerdict] };
    await using council = await startInSlack(scriptedModels(script), { scopes });
    const { ada, channel, slack, bot } = council;
    await ada.commands(channel, '/council config mine set notify yes');
    await slack.until(
      () => slack.messages(channel).some(({ text }) => text.includes('Changed: notify.')),
      'the change',
    );
    const { thread } = await ada.mentions(channel, 'Should we rewrite the engine?');
    const said = () =>
      slack.thread(channel, thread).filter(({ isApp, ephemeralFor }) => isApp && !ephemeralFor);
    await slack.until(() => said().some(({ text }) => text.includes('<@')), 'the mention');
    await bot.idle();
    const mentions = said().filter(({ text }) => text.includes('<@'));
    expect(mentions.map(({ text }) => text)).toEqual([
      `<@${ada.user.id}> The council has answered.`,
    ]);
    expect(said().at(-1)?.ts).toBe(mentions[0]?.ts);
    slack.assertNoViolations();
  });
});
