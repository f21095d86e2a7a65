import { expect, test } from 'vitest';
import { noModelWords } from '../../src/models/chat-model.ts';
import { scopeNames } from '../../src/platforms/slack/connection/identity.ts';
import { absentModels } from '../models/absent-models.ts';
import { ask, startCouncil as inDiscord, textOf } from '../platforms/discord/discord-world.ts';
import { startCouncil as inSlack } from '../platforms/slack/slack-world.ts';

/** Without the marks in which a platform sets code. */
const words = noModelWords.replaceAll('`', '');

test('on Discord a question without a model is answered once, in words, and opens no thread', async () => {
  await using council = await inDiscord(absentModels);
  const { discord, channel, bot } = council;
  ask(council, 'Should we rewrite the engine?');
  await discord.until(() => discord.messages(channel.id).length > 0, 'the reply');
  await bot.idle();
  const [said, ...others] = discord.messages(channel.id);
  expect(said && textOf(said).replaceAll('`', '')).toContain(words);
  expect(said && textOf(said)).toContain('Eve Sage would probably sit');
  expect(others).toEqual([]);
  expect(discord.threads(channel.id)).toEqual([]);
  expect(discord.violations.all).toEqual([]);
});

test('on Slack a question without a model is answered once, in words', async () => {
  await using council = await inSlack(absentModels, { scopes: scopeNames });
  const { ada, channel, slack, bot } = council;
  await ada.mentions(channel, 'Should we rewrite the engine?');
  const said = () => slack.messages(channel).filter(({ isApp }) => isApp);
  await slack.until(() => said().length > 0, 'the reply');
  await bot.idle();
  expect(said().map(({ text }) => text.replaceAll('`', ''))).toEqual([
    expect.stringContaining(words),
  ]);
  expect(said()[0]?.text).toContain('Eve Sage would probably sit');
  slack.assertNoViolations();
});
