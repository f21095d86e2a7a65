/** What a person has left of their own budget is told to them, and not to the channel that sees their question. */

import { expect, test } from 'vitest';
import type { BotChanges } from '../bot/bot-fixture.ts';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import { startCouncil as startInDiscord, textOf } from '../platforms/discord/discord-world.ts';
import { startCouncil as startInSlack } from '../platforms/slack/slack-world.ts';

/** After a long answer, the next question costs more with all it reads than is left. */
const long = () => scriptedModels({ sages: { ben: [answer('No. '.repeat(1500))] } });
const bot: BotChanges = {
  priceOf: (_model, input) => input / 10_000,
  budgets: { userUsdPerDay: 0.35 },
};
const neutral = 'A daily budget does not cover this question. Ask again at';

test('in Slack, a question that is too dear with all it reads is told so to the person alone', async () => {
  await using council = await startInSlack(long(), { bot });
  const { slack, channel, ada } = council;
  const { thread } = await ada.mentions(channel, 'Ben: should we?');
  await council.bot.idle();
  await ada.mentions(channel, 'Ben: and now?', { thread });
  const told = () => slack.messages(channel).filter(({ ephemeralFor }) => ephemeralFor);
  await slack.until(() => told().length > 0, 'word of it');
  await council.bot.idle();
  expect(told().map(({ text, ephemeralFor }) => [ephemeralFor, text])).toEqual([
    [ada.user.id, expect.stringMatching(/^Your budget of .* renews at <!date.*You asked in http/s)],
  ]);
  const seen = JSON.stringify(slack.thread(channel, thread));
  expect(seen).toContain(neutral);
  expect(seen).not.toContain('Your budget');
});

test('in Discord, it is told in a direct message, and a refused mention is answered without figures', async () => {
  await using council = await startInDiscord(long(), { bot });
  const { discord, channel, ada } = council;
  discord.userSays(channel, ada, 'Ben: should we?', { mentionsBot: true });
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await council.bot.idle();
  const [thread = expect.unreachable()] = discord.threads(channel.id);
  discord.userSays(thread, ada, 'Ben: and now?', { mentionsBot: true });
  const told = () => discord.messages(discord.directMessages(ada).id).map(textOf);
  await discord.until(() => told().length > 0, 'word of it');
  await council.bot.idle();
  expect(told()).toEqual([expect.stringMatching(/^Your budget of .*You asked in http/s)]);
  await council.bot.store.spend([`user:any:any:discord:${ada.id}`], 1);
  discord.userSays(thread, ada, 'Ben: and then?', { mentionsBot: true });
  const seen = () => discord.messages(thread.id).map(textOf).join('\n');
  await discord.until(() => seen().split(neutral).length === 3, 'both refusals');
  expect(seen()).not.toContain('Your budget');
});
