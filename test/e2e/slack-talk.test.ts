/** What people do in Slack, with the whole bot: from the press of a button to what everybody sees. */

import { describe, expect, test, vi } from 'vitest';
import { scopeNames } from '../../src/platforms/slack/connection/identity.ts';
import {
  answer,
  scriptedModels,
  seating,
  verdict,
  wholeScript,
} from '../council/scripted-council.ts';
import { hang } from '../fakes/scripted-model.ts';
import {
  type CouncilInSlack,
  joinSlack,
  startCouncil,
  startSlackWorld,
} from '../platforms/slack/slack-world.ts';

const scopes = scopeNames;

function saidIn({ slack, channel }: CouncilInSlack, thread: string) {
  return slack
    .thread(channel, thread)
    .filter(({ isApp, ephemeralFor }) => isApp && ephemeralFor === undefined);
}

function privately({ slack, channel }: CouncilInSlack, { user }: CouncilInSlack['ada']) {
  return slack.messages(channel).filter(({ ephemeralFor }) => ephemeralFor === user.id);
}

/** The message with this on it. */
function messageWith(council: CouncilInSlack, thread: string, label: string) {
  const found = saidIn(council, thread).find(({ blocks }) =>
    JSON.stringify(blocks).includes(label),
  );
  if (!found) throw new Error(`No message in the thread has “${label}”.`);
  return { channel: council.channel, ts: found.ts };
}

async function untilOver(council: CouncilInSlack, thread: string, sentence: string) {
  await council.slack.until(
    () => saidIn(council, thread).some(({ text }) => text.includes(sentence)),
    sentence,
  );
  await council.bot.idle();
}

describe('a turn in Slack', () => {
  test('is stopped by its button, and keeps what was said', async () => {
    const models = scriptedModels({
      moderator: [seating(['ada', 'ben'])],
      sages: { ada: [answer('Yes.')], ben: [hang] },
    });
    await using council = await startCouncil(models, { scopes });
    const { ada, channel, slack } = council;
    const { thread } = await ada.mentions(channel, 'Should we rewrite the engine?');
    await slack.until(
      () => saidIn(council, thread).some(({ text }) => text === 'Yes.'),
      'the first answer',
    );
    await ada.presses(messageWith(council, thread, 'Stop'), 'Stop');
    await untilOver(council, thread, 'Stopped. What was said is kept.');
    expect(privately(council, ada).map(({ text }) => text)).toEqual([
      'Stopped. Anything said so far is kept.',
    ]);
    expect(saidIn(council, thread).some(({ text }) => text === 'Yes.')).toBe(true);
    slack.assertNoViolations();
  });

  test('is looked into and judged by the buttons of its verdict', async () => {
    await using council = await startCouncil(scriptedModels(wholeScript), { scopes });
    const { ada, boss, channel, slack } = council;
    const { thread } = await ada.mentions(channel, 'Should we rewrite the engine?');
    await untilOver(council, thread, 'The council has answered.');
    const message = messageWith(council, thread, 'Why these sages');
    await boss.presses(message, 'Good verdict');
    await slack.until(() => privately(council, boss).length === 1, 'thanks');
    for (const label of ['Reviews and ballots', 'Why these sages', 'Receipt']) {
      const before = privately(council, ada).length;
      await ada.presses(message, label);
      await slack.until(() => privately(council, ada).length > before, label);
    }
    // A post each: Slack takes one table a message.
    expect(privately(council, ada)).toHaveLength(3);
    const texts = privately(council, ada)
      .map(({ text }) => text)
      .join('\n');
    for (const part of [
      'Review by Ada Sage',
      'Ballot as read',
      '1. Ada Sage\n2. Dan Sage',
      'Sees what ada sees',
      'good: 1, bad: 0',
    ]) {
      expect(texts).toContain(part);
    }
    expect(texts).not.toContain('Response');
    const shown = saidIn(council, thread).map(({ text }) => text);
    expect(shown.join('\n')).toContain('Ranking by 4 blind ballots 1. Ada Sage: 100');
    slack.assertNoViolations();
  });

  test('is stopped when its question is deleted, also after the bot was started again', async () => {
    const world = await startSlackWorld({ scopes });
    const { ada, channel, slack } = world;
    const before = await joinSlack(world, scriptedModels({ sages: { ben: [hang] } }));
    const said = await ada.mentions(channel, 'Ben: why?');
    await slack.until(() => saidIn(before, said.thread).length > 0, 'the turn');
    const { store } = before.bot;
    await before[Symbol.asyncDispose]();
    const models = scriptedModels({ sages: { ben: [hang] } });
    const after = await joinSlack(world, models, { store });
    await ada.deletes(channel, said);
    await after.bot.idle();
    const threadId = `slack:${slack.workspace.id}:${channel.id}:${said.thread}`;
    expect(await store.turns.list(threadId, { limit: 5 })).toMatchObject([{ outcome: 'stopped' }]);
    await after[Symbol.asyncDispose]();
    await slack.close();
  });
});

describe('/council with the whole bot in Slack', () => {
  test('ask opens a thread on the question, in which the council answers', async () => {
    await using council = await startCouncil(scriptedModels(wholeScript), { scopes });
    const { ada, channel, slack } = council;
    await ada.commands(channel, '/council Should we rewrite the engine?');
    const root = () =>
      slack.messages(channel).find(({ text }) => text.includes('asks the council'));
    await slack.until(() => root() !== undefined, 'the question');
    const thread = root()?.ts ?? '';
    await untilOver(council, thread, 'The council has answered.');
    expect(saidIn(council, thread).map(({ author }) => author)).toEqual(
      expect.arrayContaining(['Council', 'Ada Sage', 'Ben Sage', 'Cleo Sage', 'Dan Sage']),
    );
    slack.assertNoViolations();
  });

  test('config changes how the next question goes, and a wrong value is told at its field', async () => {
    const models = scriptedModels({
      moderator: [seating(['ada', 'ben'])],
      sages: { ada: [answer('Yes.')], ben: [answer('No.')] },
      chair: [verdict],
    });
    await using council = await startCouncil(models, { scopes });
    const { ada, boss, channel, slack } = council;
    await boss.commands(channel, '/council config');
    await slack.until(() => boss.modal()?.text.includes('Depth') === true, 'the settings');
    await boss.submits({ depth: 'quick', language: '<!channel>' });
    expect(boss.modal()?.errors).toMatchObject({
      'channel|language': expect.stringContaining('the name of a language'),
    });
    await boss.submits({ language: 'Welsh' });
    expect(boss.modal()?.text).toContain('Changed: depth, language');
    const { thread } = await ada.mentions(channel, 'Should we rewrite the engine?');
    await untilOver(council, thread, 'The council has answered.');
    expect(JSON.stringify(models.sage({ key: 'ada' }).requests)).toContain('Welsh');
    expect(JSON.stringify(saidIn(council, thread))).not.toContain('Ballots');
    slack.assertNoViolations();
  });

  test('summon makes a sage that speaks in the thread when it is named', async () => {
    const prompt = `You are the gardener. ${'You look at the soil first. '.repeat(12)}`;
    const gardener = 'custom_the_gardener';
    const models = scriptedModels({
      moderator: [JSON.stringify({ prompt })],
      sages: { [gardener]: [answer('Dig.')] },
    });
    await using council = await startCouncil(models, { scopes });
    const { ada, channel, slack } = council;
    await ada.commands(channel, '/council summon');
    await slack.until(() => ada.modal() !== undefined, 'a modal');
    await ada.submits({
      name: 'The Gardener',
      description: 'Grows things slowly; for questions where patience decides.',
    });
    await slack.until(() => ada.modal()?.text.includes('the soil first') === true, 'the draft');
    await ada.presses('modal', 'Save');
    await slack.until(() => ada.modal()?.text.includes('sits on') === true, 'that it was saved');
    const { thread } = await ada.mentions(channel, 'The Gardener: what now?');
    await slack.until(
      () => saidIn(council, thread).some(({ text }) => text === 'Dig.'),
      'the gardener',
    );
    const said = saidIn(council, thread).find(({ text }) => text === 'Dig.');
    expect(said?.author).toContain('The Gardener');
    slack.assertNoViolations();
  });
});

describe('elsewhere in Slack', () => {
  test('the shortcut seats a council in the thread of a message', async () => {
    await using council = await startCouncil(scriptedModels({ sages: { ben: [answer('No.')] } }), {
      scopes,
    });
    const { ada, boss, channel, slack } = council;
    const said = await ada.says(channel, 'We ship on Friday');
    await boss.usesShortcut('ask_council', said);
    await slack.until(() => boss.modal() !== undefined, 'the modal');
    await boss.submits({ question: 'Ben: is that wise?' });
    await slack.until(
      () => saidIn(council, said.ts).some(({ text }) => text === 'No.'),
      'the answer',
    );
    slack.assertNoViolations();
  });

  test('a direct message is answered in its thread, and so is what follows there', async () => {
    await using council = await startCouncil(
      scriptedModels({ sages: { ben: [answer('No.'), answer('Never.')] } }),
      { scopes },
    );
    const { ada, slack, bot } = council;
    const direct = await ada.direct();
    await ada.opensHome('messages');
    const { thread } = await ada.says(direct, 'Ben: why?');
    const answers = () => slack.thread(direct, thread).map(({ text }) => text);
    await slack.until(() => answers().includes('No.'), 'the answer');
    await bot.idle();
    await ada.says(direct, 'Ben: ever?', { thread });
    await slack.until(() => answers().includes('Never.'), 'the next answer');
    await bot.idle();
    expect(answers().join('\n')).toContain('Just write to ask a follow-up.');
    slack.assertNoViolations();
  });

  test('a person’s own page lists what they asked in a private channel to no one else', async () => {
    await using council = await startCouncil(scriptedModels({ sages: { ben: [answer('No.')] } }), {
      scopes,
    });
    const { ada, boss, slack, bot } = council;
    const secret = await slack.addChannel('secret', { isPrivate: true, creator: ada });
    const { thread } = await ada.mentions(secret, 'Ben: shall we sell?');
    await slack.until(() => slack.thread(secret, thread).length > 2, 'the answer');
    await bot.idle();
    await ada.opensHome();
    await boss.opensHome();
    await slack.until(() => Boolean(ada.home() && boss.home()), 'both pages');
    expect(ada.home()?.text).toContain('shall we sell?');
    expect(boss.home()?.text).not.toContain('sell');
    slack.assertNoViolations();
  });

  test('a person without names, a channel without history: the council answers what it hears', async () => {
    await using council = await startCouncil(scriptedModels({ sages: { ben: [answer('No.')] } }), {
      scopes: ['app_mentions:read', 'chat:write', 'commands'],
    });
    const { ada, channel, slack, lines } = council;
    const { thread } = await ada.mentions(channel, 'Ben: and you?');
    await slack.until(
      () => saidIn(council, thread).some(({ text }) => text.includes('No.')),
      'the answer',
    );
    await ada.commands(channel, '/council config');
    await slack.until(
      () => ada.modal()?.text.includes('Only those who may manage') === true,
      'the refusal',
    );
    await vi.waitFor(() => expect(lines.join('\n')).toContain('users:read'));
    slack.assertNoViolations();
  });
});
