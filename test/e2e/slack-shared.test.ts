/** People of another workspace than the one that the app is known by: streams are begun for theirs. */

import { expect, test } from 'vitest';
import { scopeNames } from '../../src/platforms/slack/connection/identity.ts';
import type { BotChanges } from '../bot/bot-fixture.ts';
import { answer, scriptedModels, wholeScript } from '../council/scripted-council.ts';
import { type CouncilInSlack, startCouncil } from '../platforms/slack/slack-world.ts';

const scopes = scopeNames;
const words = answer('No, and here is why, in many words.');

function benSays() {
  return scriptedModels({ sages: { ben: [words] } });
}

async function untilAnswered({ slack, bot, channel }: CouncilInSlack): Promise<void> {
  await slack.until(
    () => slack.appMessages().some(({ text }) => text.includes('1 of 1 answered.')),
    `the answer in ${channel.name}`,
  );
  await bot.idle();
  slack.assertNoViolations();
}

function recipients({ slack }: CouncilInSlack) {
  return slack.calls
    .filter(({ method }) => method === 'chat.startStream')
    .map(({ args, answer: got }) => ({ ...args, isTaken: JSON.stringify(got).includes('true') }));
}

test('an app of a whole organisation streams to the workspace of the person who mentions it', async () => {
  await using council = await startCouncil(benSays(), { scopes, isOrgWide: true });
  const { ada, channel, slack } = council;
  await ada.mentions(channel, 'Ben: why?');
  await untilAnswered(council);
  expect(recipients(council)).toMatchObject([
    { recipient_user_id: ada.user.id, recipient_team_id: slack.workspace.id, isTaken: true },
  ]);
});

test('the same for who asks by command', async () => {
  await using council = await startCouncil(benSays(), { scopes, isOrgWide: true });
  const { ada, channel, slack } = council;
  await ada.commands(channel, '/council ask Ben: why?');
  await untilAnswered(council);
  expect(recipients(council)).toMatchObject([{ recipient_team_id: slack.workspace.id }]);
});

test('the same for who asks about the message of another', async () => {
  await using council = await startCouncil(benSays(), { scopes, isOrgWide: true });
  const { ada, boss, channel, slack } = council;
  const said = await ada.says(channel, 'We ship on Friday.');
  await boss.usesShortcut('ask_council', said);
  await slack.until(() => boss.modal() !== undefined, 'the modal');
  await boss.submits({ question: 'Ben: why?' });
  await untilAnswered(council);
  expect(recipients(council)).toMatchObject([{ recipient_team_id: slack.workspace.id }]);
});

test('a person of another organisation is streamed to in theirs', async () => {
  await using council = await startCouncil(benSays(), { scopes });
  const { slack, ada } = council;
  const stoa = slack.addWorkspace('Stoa', { isInstalled: false });
  const zeno = slack.addMember('Zeno', { workspace: stoa });
  const shared = await slack.addChannel('with-stoa', { isShared: true, members: [ada, zeno] });
  await zeno.says(shared, `<@${slack.installation().botUserId}> Ben: why?`);
  await untilAnswered(council);
  expect(recipients(council)).toMatchObject([
    { recipient_user_id: zeno.user.id, recipient_team_id: stoa.id },
  ]);
});

test('people of a company that may not ask get no answer in a channel that it shares', async () => {
  const access = { deny: [] as string[] };
  await using council = await startCouncil(benSays(), { scopes, bot: { access } });
  const { slack, ada } = council;
  const stoa = slack.addWorkspace('Stoa', { isInstalled: false, isInOrganisation: true });
  access.deny.push(`slack:${stoa.organisation}`);
  const zeno = slack.addMember('Zeno', { workspace: stoa });
  const shared = await slack.addChannel('with-stoa', { isShared: true, members: [ada, zeno] });
  await zeno.says(shared, `<@${slack.installation().botUserId}> Ben: why?`);
  await slack.until(() => slack.appMessages().length === 1, 'the refusal');
  expect(slack.appMessages()[0]).toMatchObject({
    text: expect.stringContaining('this council isn’t open to you here'),
    ephemeralFor: zeno.user.id,
  });
  await ada.mentions(shared, 'Ben: why?');
  await untilAnswered(council);
});

test('people of another company read no figure of a budget, nor is one where they read along', async () => {
  const bot: BotChanges = {
    priceOf: (_model, input) => input / 10_000,
    budgets: { channelUsdPerDay: 0.35 },
  };
  const models = scriptedModels({ sages: { ben: [answer('No. '.repeat(1500))] } });
  await using council = await startCouncil(models, { scopes, bot });
  const { slack, ada } = council;
  const stoa = slack.addWorkspace('Stoa', { isInstalled: false, isInOrganisation: true });
  const zeno = slack.addMember('Zeno', { workspace: stoa });
  const shared = await slack.addChannel('with-stoa', { isShared: true, members: [ada, zeno] });
  const { thread } = await ada.mentions(shared, 'Ben: should we?');
  await council.bot.idle();
  const told = (reader: typeof ada) => () =>
    slack
      .messages(shared)
      .filter(({ ephemeralFor }) => ephemeralFor === reader.user.id)
      .map(({ text }) => text);
  // With all it reads, it costs more than is left.
  await ada.mentions(shared, 'Ben: and now?', { thread });
  await expect.poll(told(ada)).toEqual([expect.stringContaining("This channel's budget of $0.35")]);
  await council.bot.idle();
  await council.bot.store.spend([`channel:slack:${slack.workspace.id}:${shared.id}`], 1);
  await zeno.says(shared, `<@${slack.installation().botUserId}> Ben: why?`);
  const neutral = 'A daily budget does not cover this question. Ask again at';
  await expect.poll(told(zeno)).toEqual([expect.stringContaining(neutral)]);
  const seen = () => {
    const byThem = slack
      .messages(shared)
      .filter(({ ephemeralFor }) => ephemeralFor !== ada.user.id);
    return byThem.map(({ text }) => text);
  };
  await expect.poll(() => seen().filter((text) => text.includes(neutral))).toHaveLength(2);
  expect(seen().join('\n')).not.toContain('$');
});

test('people of another company see in a receipt neither what the workspace pays nor for which calls', async () => {
  await using council = await startCouncil(scriptedModels(wholeScript), { scopes });
  const { slack, ada, bot } = council;
  const stoa = slack.addWorkspace('Stoa', { isInstalled: false, isInOrganisation: true });
  const zeno = slack.addMember('Zeno', { workspace: stoa });
  const shared = await slack.addChannel('with-stoa', { isShared: true, members: [ada, zeno] });
  const { thread } = await ada.mentions(shared, 'Should we rewrite the engine?');
  const offering = () =>
    slack.thread(shared, thread).find(({ text }) => text.includes('[Receipt]'));
  await slack.until(() => offering() !== undefined, 'the verdict');
  await bot.idle();
  const verdict = offering();
  if (!verdict) throw new Error('There is no verdict.');
  const receiptFor = async (reader: typeof ada) => {
    const before = slack.messages(shared).length;
    await reader.presses(verdict, 'Receipt');
    const said = () =>
      slack
        .messages(shared)
        .slice(before)
        .map(({ text }) => text)
        .join('\n');
    await expect.poll(said).toContain('test:sage-dan');
    await bot.idle();
    return said();
  };
  const forZeno = await receiptFor(zeno);
  expect(forZeno).toContain('4 read, 0 abstained');
  expect(forZeno).not.toMatch(/\*\*Cost\*\*|\$|call|token/);
  expect(await receiptFor(ada)).toContain('**Cost**\n$');
});
