/** In Slack it speaks when it is asked, and else leaves people alone. */

import { expect, test, vi } from 'vitest';
import { scopeNames as scopes } from '../../src/platforms/slack/connection/identity.ts';
import { fileSettings } from '../bot/bot-fixture.ts';
import { answer, scriptedModels, seating, verdict } from '../council/scripted-council.ts';
import { hang } from '../fakes/scripted-model.ts';
import { type CouncilInSlack, startCouncil } from '../platforms/slack/slack-world.ts';

const nobody = '{"respond": "nobody"}';
const benAnswers = JSON.stringify({ respond: 'council', ...JSON.parse(seating(['ben'])) });

function postsIn({ slack, channel }: CouncilInSlack, thread: string) {
  return slack.thread(channel, thread).filter(({ isApp }) => isApp);
}

test('what is meant for it in its thread is answered, and what is not shows nothing and costs one call at most', async () => {
  const models = scriptedModels({
    moderator: [nobody, benAnswers],
    sages: { ben: [answer('No.'), answer('Android later.')] },
    chair: [verdict],
  });
  await using council = await startCouncil(models, { scopes });
  const { ada, boss, channel, slack, bot } = council;
  const { thread } = await ada.mentions(channel, 'Ben: should we?');
  await slack.until(() => postsIn(council, thread).some(({ text }) => text === 'No.'), 'an answer');
  await bot.idle();
  const before = [postsIn(council, thread).length, slack.calls.length];
  for (const chatter of ['thanks!', ':+1:', 'lol :joy:', '+1', '<https://tenor.com/cat>', 'ok'])
    await ada.says(channel, chatter, { thread });
  // As Slack writes “thanks <3 & bye”.
  await ada.mentions(channel, 'thanks &lt;3 &amp; bye', { thread });
  await ada.says(channel, `<@${boss.user.id}> what do you think of that?`, { thread });
  await boss.says(channel, 'can someone book the room', { thread });
  await vi.waitFor(() => expect(models.moderator.requests).toHaveLength(1), 10_000);
  await bot.idle();
  expect(postsIn(council, thread)).toHaveLength(before[0] ?? 0);
  const since = slack.calls.slice(before[1]);
  expect(
    since.filter(({ method }) => /^chat\.|^assistant\.|^conversations\./.test(method)),
  ).toEqual([]);
  await ada.says(channel, 'what about android though', { thread });
  await slack.until(
    () => postsIn(council, thread).some(({ text }) => text === 'Android later.'),
    'the answer',
  );
  await bot.idle();
  expect(models.unsaid()).toBe(0);
  const told = models.sage({ key: 'ben' }).requests.map(({ messages }) => JSON.stringify(messages));
  expect(told[0]).not.toContain('book the room');
  expect(told[1]).toMatch(/<said from=.{0,80}can someone book the room/);
  slack.assertNoViolations();
});

test('people who tell others about it are left alone', async () => {
  const models = scriptedModels({ moderator: [nobody], sages: { ben: [answer('No.')] } });
  await using council = await startCouncil(models, { scopes });
  const { ada, channel, slack, bot } = council;
  const mention = `<@${slack.installation().botUserId}>`;
  const told = await ada.says(channel, `I asked ${mention} about it &amp; they said no.`);
  await vi.waitFor(() => expect(models.moderator.requests).toHaveLength(1), 10_000);
  expect(models.moderator.requests[0]?.messages.at(-1)?.content).toContain(
    'I asked Council about it & they said no.',
  );
  const { thread } = await ada.says(channel, `Ben: should we, ${mention}?`);
  await slack.until(() => postsIn(council, thread).some(({ text }) => text === 'No.'), 'an answer');
  await bot.idle();
  expect(postsIn(council, told.thread)).toEqual([]);
  slack.assertNoViolations();
});

test('a sage is addressed by name everywhere: in the thread, by mention and by command', async () => {
  const models = scriptedModels({
    sages: { ben: ['One.', 'Two.', 'Three.', 'Four.'].map(answer) },
  });
  await using council = await startCouncil(models, { scopes });
  const { ada, channel, slack, bot } = council;
  const { thread } = await ada.mentions(channel, '@ben should we?');
  await vi.waitFor(() => expect(models.unsaid()).toBe(3), 10_000);
  await bot.idle();
  await ada.says(channel, 'Ben, go on', { thread });
  await vi.waitFor(() => expect(models.unsaid()).toBe(2), 10_000);
  await ada.mentions(channel, '@ben and now', { thread });
  await vi.waitFor(() => expect(models.unsaid()).toBe(1), 10_000);
  await ada.commands(channel, '/council @ben hi');
  await vi.waitFor(() => expect(models.unsaid()).toBe(0), 10_000);
  await bot.idle();
  slack.assertNoViolations();
});

function toldTo({ slack, channel }: CouncilInSlack, { user }: CouncilInSlack['ada']) {
  return slack.messages(channel).filter(({ ephemeralFor }) => ephemeralFor === user.id);
}

test('a bare help or stop that is said to it does that, and exit asks nothing', async () => {
  const models = scriptedModels({ sages: { ben: [hang] } });
  await using council = await startCouncil(models, { scopes });
  const { ada, channel, slack, bot } = council;
  await ada.mentions(channel, 'exit');
  await ada.mentions(channel, 'help');
  await slack.until(() => toldTo(council, ada).length === 1, 'the help');
  expect(toldTo(council, ada)[0]?.text).toContain('/council');
  const { thread } = await ada.mentions(channel, 'Ben: why?');
  await vi.waitFor(() => expect(models.unsaid()).toBe(0), 10_000);
  await ada.mentions(channel, 'stop', { thread });
  await slack.until(
    () => toldTo(council, ada).some(({ text }) => text.includes('Stopped one question')),
    'the word on it',
  );
  await bot.idle();
  const threadId = `slack:${slack.workspace.id}:${channel.id}:${thread}`;
  expect(await bot.store.turns.list(threadId, { limit: 5 })).toMatchObject([
    { outcome: 'stopped' },
  ]);
  slack.assertNoViolations();
});

test('a manager is told once what the sages lack, also by a process that shows no turns', async () => {
  const lacking = scopes.filter((scope) => scope !== 'chat:write.customize');
  await using council = await startCouncil(scriptedModels({}), { scopes: lacking });
  const { ada, boss, channel, slack } = council;
  for (const member of [ada, boss, boss]) await member.commands(channel, '/council sages');
  await slack.until(() => toldTo(council, boss).length === 3, 'the notice');
  await slack.until(() => toldTo(council, ada).length === 1, 'the sages');
  const notices = slack.messages(channel).filter(({ text }) => text.includes('I lack the scope'));
  expect(notices.map(({ ephemeralFor }) => ephemeralFor)).toEqual([boss.user.id]);
  slack.assertNoViolations();
});

test('a sentence that begins with a command’s name is a question', async () => {
  const models = scriptedModels({
    moderator: [seating(['ben'])],
    sages: { ben: [answer('That one.')] },
    chair: [verdict],
  });
  await using council = await startCouncil(models, { scopes });
  const { ada, channel, slack, bot } = council;
  await ada.commands(channel, '/council help me choose a bank account');
  const root = () => slack.messages(channel).find(({ text }) => text.includes('asks the council'));
  await slack.until(() => root() !== undefined, 'the question');
  await vi.waitFor(() => expect(models.unsaid()).toBe(0), 10_000);
  await bot.idle();
  slack.assertNoViolations();
});

test('an edited question is offered to be asked as it is now, once, and goes with its message', async () => {
  const models = scriptedModels({ sages: { ben: [answer('No.'), answer('Yes.')] } });
  await using council = await startCouncil(models, {
    scopes,
    bot: { settings: { ...fileSettings, forgetDeleted: true } },
  });
  const { ada, channel, slack, bot } = council;
  const mention = `<@${slack.installation().botUserId}>`;
  const said = await ada.mentions(channel, 'Ben: should we?');
  await vi.waitFor(() => expect(models.unsaid()).toBe(1), 10_000);
  await bot.idle();
  await ada.edits(channel, said, `${mention}  Ben: should we?`);
  await ada.edits(channel, said, `${mention} Ben: should we now?`);
  const offer = () =>
    toldTo(council, ada).find(({ text }) => text.includes('changed your question'));
  await slack.until(() => offer() !== undefined, 'the offer');
  const found = { channel, ts: offer()?.ts ?? '' };
  await ada.presses(found, 'Ask the edited question');
  await ada.presses(found, 'Ask the edited question');
  await vi.waitFor(() => expect(models.unsaid()).toBe(0), 10_000);
  await bot.idle();
  const last = JSON.stringify(models.sage({ key: 'ben' }).requests[1]?.messages);
  expect(last).toContain('should we now?');
  const threadId = `slack:${slack.workspace.id}:${channel.id}:${said.thread}`;
  expect(await bot.store.turns.list(threadId, { limit: 5 })).toHaveLength(2);
  await ada.deletes(channel, said);
  await vi.waitFor(
    async () => expect(await bot.store.turns.list(threadId, { limit: 5 })).toEqual([]),
    10_000,
  );
  slack.assertNoViolations();
});

test('an edited question is asked again with the file that it came with', async () => {
  const models = scriptedModels({ sages: { ben: [answer('No.'), answer('Yes.')] } });
  await using council = await startCouncil(models, { scopes });
  const { ada, channel, slack, bot } = council;
  const mention = `<@${slack.installation().botUserId}>`;
  const files = [{ name: 'plan.txt', bytes: Buffer.from('Ship it on Friday.') }];
  const said = await ada.mentions(channel, 'Ben: is it wise?', { files });
  await vi.waitFor(() => expect(models.unsaid()).toBe(1), 10_000);
  await bot.idle();
  await ada.edits(channel, said, `${mention} Ben: is it kind?`);
  const offer = () =>
    toldTo(council, ada).find(({ text }) => text.includes('changed your question'));
  await slack.until(() => offer() !== undefined, 'the offer');
  await ada.presses({ channel, ts: offer()?.ts ?? '' }, 'Ask the edited question');
  await vi.waitFor(() => expect(models.unsaid()).toBe(0), 10_000);
  await bot.idle();
  const [first, again] = models
    .sage({ key: 'ben' })
    .requests.map(({ messages }) => JSON.stringify(messages));
  expect(first).toContain('Ship it on Friday.');
  expect(again).toContain('Ship it on Friday.');
  expect(again?.match(/is it kind\?/g)).toHaveLength(first?.match(/is it wise\?/g)?.length ?? 0);
  slack.assertNoViolations();
});

test('an edited question of which the file alone is left is asked again', async () => {
  const models = scriptedModels({
    moderator: [seating(['ben'])],
    chair: [verdict],
    sages: { ben: [answer('No.'), answer('Yes.')] },
  });
  await using council = await startCouncil(models, { scopes });
  const { ada, channel, slack, bot } = council;
  const files = [{ name: 'plan.txt', bytes: Buffer.from('Ship it on Friday.') }];
  const said = await ada.mentions(channel, 'Ben: is it wise?', { files });
  await vi.waitFor(() => expect(models.unsaid()).toBe(3), 10_000);
  await bot.idle();
  await ada.edits(channel, said, `<@${slack.installation().botUserId}>`);
  await slack.until(() => toldTo(council, ada).length === 1, 'the offer');
  const [offer] = toldTo(council, ada);
  await ada.presses({ channel, ts: offer?.ts ?? '' }, 'Ask the edited question');
  await vi.waitFor(() => expect(models.unsaid()).toBe(0), 10_000);
  await bot.idle();
  const again = JSON.stringify(models.sage({ key: 'ben' }).requests[1]?.messages);
  expect(again).toContain('What do you make of this?');
  expect(again).toContain('Ship it on Friday.');
  slack.assertNoViolations();
});

test('a mention that an edit adds is heard once, and its author told nothing', async () => {
  const models = scriptedModels({ sages: { ben: [answer('No.')] } });
  await using council = await startCouncil(models, { scopes });
  const { ada, channel, slack, bot } = council;
  const mention = `<@${slack.installation().botUserId}>`;
  const said = await ada.says(channel, 'Ben: should we?');
  await ada.edits(channel, said, `${mention} Ben: should we?`);
  await vi.waitFor(() => expect(models.unsaid()).toBe(0), 10_000);
  await ada.edits(channel, said, `${mention} Ben:  should we?`);
  await bot.idle();
  const threadId = `slack:${slack.workspace.id}:${channel.id}:${said.ts}`;
  expect(await bot.store.turns.list(threadId, { limit: 5 })).toHaveLength(1);
  expect(toldTo(council, ada)).toEqual([]);
  slack.assertNoViolations();
});

test('a mention that only greets it gets the help, and seats no one', async () => {
  const models = scriptedModels({});
  await using council = await startCouncil(models, { scopes });
  const { ada, channel, slack, bot } = council;
  const { thread } = await ada.mentions(channel, 'hello!');
  await slack.until(() => toldTo(council, ada).length === 1, 'the help');
  await bot.idle();
  expect(toldTo(council, ada)[0]?.text).toContain('/council');
  expect(postsIn(council, thread)).toEqual([]);
  expect(models.moderator.requests).toEqual([]);
  slack.assertNoViolations();
});
