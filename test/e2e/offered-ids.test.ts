/** Where the id of a turn or a memory is expected and leads nowhere, the latest ones are offered. */

import { expect, test } from 'vitest';
import { commands } from '../../commands/index.ts';
import { commandLine } from '../../src/bot/commands/suggestions.ts';
import { parseCommandLine } from '../../src/platforms/chat/text/command-line.ts';
import { scopeNames as scopes } from '../../src/platforms/slack/connection/identity.ts';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import * as onDiscord from '../platforms/discord/discord-world.ts';
import { answered, idWith, slash } from '../platforms/discord/private-answers.ts';
import * as onSlack from '../platforms/slack/slack-world.ts';

const models = () => scriptedModels({ sages: { ben: [answer('No.')] } });
const question = 'Ben: should we sell the harbour?';
const label = `${question} (just now)`;

test('on Slack, to anyone who asks for a turn, and to who would forget something', async () => {
  await using council = await onSlack.startCouncil(models(), { scopes });
  const { slack, channel, ada, boss, bot } = council;
  const { thread } = await ada.mentions(channel, question);
  await slack.until(() => slack.thread(channel, thread).length > 2, 'the answer');
  await bot.idle();
  const toldTo = ({ user }: typeof ada) => {
    const all = slack.messages(channel).filter(({ ephemeralFor }) => ephemeralFor === user.id);
    return all.at(-1) ?? { text: '', ts: '' };
  };
  const isTold = (who: typeof ada, part: string) =>
    slack.until(() => toldTo(who).text.includes(part), part);
  await boss.commands(channel, '/council receipt --turn nope');
  await isTold(boss, 'There is no turn “nope” in this channel.');
  expect(toldTo(boss).text).toContain(`[${label}]`);
  await boss.presses({ channel, ts: toldTo(boss).ts }, label);
  await isTold(boss, 'Id of this turn');
  await ada.commands(channel, '/council memory forget nope --confirm');
  await isTold(ada, 'Nothing with the id “nope” is remembered here.');
  await ada.presses({ channel, ts: toldTo(ada).ts }, 'Ben Sage: No. (just now)');
  // It was confirmed for another.
  await isTold(ada, 'Nothing has been deleted yet');
  slack.assertNoViolations();
});

test('on Discord, to anyone who asks for a turn', async () => {
  await using council = await onDiscord.startCouncil(models());
  const { discord, guild, channel, bot } = council;
  const bob = discord.addMember(guild, 'Bob');
  onDiscord.ask(council, question);
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const refused = await answered(council, slash(council, 'receipt', { turn: 'nope' }, bob));
  expect(onDiscord.textOf(refused)).toContain('There is no turn “nope” in this channel.');
  expect(onDiscord.textOf(refused)).toContain(label);
  const chosen = discord.pressButton(bob, refused, idWith(refused, '|run|'));
  expect(onDiscord.textOf(await answered(council, chosen))).toContain('Id of this turn');
  expect(discord.violations.all).toEqual([]);
});

test.each([
  { turn: 'abc-1', show: 'reasoning' },
  { do: 'pin', what: 'abc and “more”' },
  { do: 'pin', what: 'abc and "more"' },
])('what is offered is read as it was meant: %o', (options) => {
  const command = 'do' in options ? 'memory' : 'receipt';
  const line = commandLine(command, options) ?? '';
  expect(parseCommandLine(line, commands)).toEqual({ status: 'read', command, options });
});
