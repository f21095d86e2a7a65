import { describe, expect, test } from 'vitest';
import { scopeNames } from '../../src/platforms/slack/connection/identity.ts';
import { scoredTurn } from '../bot/scored.ts';
import { answer, scriptedModels, verdict, wholeScript } from '../council/scripted-council.ts';
import { hang } from '../fakes/scripted-model.ts';
import { type CouncilInSlack, startCouncil } from '../platforms/slack/slack-world.ts';

/** What the app said in a thread, as name and text. */
function saidIn({ slack, channel }: CouncilInSlack, thread: string) {
  return slack
    .thread(channel, thread)
    .filter(({ isApp, ephemeralFor }) => isApp && ephemeralFor === undefined);
}

function mustBeQuiet({ slack, lines }: CouncilInSlack): void {
  slack.assertNoViolations();
  expect(lines.filter((line) => !line.startsWith('info'))).toEqual([]);
}

describe('a council in Slack', () => {
  test('four sages answer in the thread, each under its own name, then comes the verdict', async () => {
    await using council = await startCouncil(scriptedModels(wholeScript), { scopes: scopeNames });
    const { ada, channel, slack, bot } = council;
    const { thread } = await ada.mentions(channel, 'Should we rewrite the engine?');
    await slack.until(() => saidIn(council, thread).length === 6, 'all that is said');
    await bot.idle();
    const [progress, ...said] = saidIn(council, thread);
    const verdict = said.pop();
    expect(said.map(({ author, text }) => [author, text]).sort()).toEqual([
      ['Ada Sage', 'Ada says yes.'],
      ['Ben Sage', 'Ben says no.'],
      ['Cleo Sage', 'Cleo says later.'],
      ['Dan Sage', 'Dan says in parts.'],
    ]);
    expect(verdict?.text).toContain('Rewrite it in parts.');
    expect(verdict?.text).toContain('Ben would leave it.');
    expect(verdict?.text).toMatch(/Sages, by their ballots: aligned(?! \()/);
    expect(progress?.text).toContain('The council has answered.');
    mustBeQuiet(council);
  });

  test('a follow-up in the thread is a turn of it, and a sage that is named speaks alone', async () => {
    const sages = { ben: [answer('No.'), answer('Still no.')], ada: [answer('Yes.')] };
    await using council = await startCouncil(scriptedModels({ sages }), { scopes: scopeNames });
    const { ada, channel, slack, bot } = council;
    const { thread } = await ada.mentions(channel, 'Ben: and you?');
    const answers = () => saidIn(council, thread).map(({ text }) => text);
    await slack.until(() => answers().includes('No.'), 'the first answer');
    await bot.idle();
    await ada.mentions(channel, 'Ben: and now?', { thread });
    await slack.until(() => answers().includes('Still no.'), 'the second answer');
    await bot.idle();
    await ada.mentions(channel, 'Ada: and you?', { thread });
    await slack.until(() => answers().includes('Yes.'), 'the third answer');
    await bot.idle();
    expect(
      await bot.store.turns.list(`slack:${slack.workspace.id}:${channel.id}:${thread}`, {
        limit: 9,
      }),
    ).toHaveLength(3);
    mustBeQuiet(council);
  });

  test('without names of their own the sages speak under labels, and one manager is told once', async () => {
    const scopes = scopeNames.filter((scope) => scope !== 'chat:write.customize');
    const sages = { ben: [answer('No.')] };
    await using council = await startCouncil(scriptedModels({ sages }), { scopes });
    const { ada, boss, channel, slack, bot } = council;
    const { thread } = await ada.mentions(channel, 'Ben: and you?');
    await slack.until(
      () => saidIn(council, thread).some(({ text }) => text.includes('No.')),
      'the answer',
    );
    await bot.idle();
    const label = saidIn(council, thread).find(({ text }) => text.includes('No.'));
    expect(label?.author).toBe('Council');
    expect(label?.text).toContain('Ben Sage');
    const privately = ({ user }: typeof boss) =>
      slack.messages(channel).filter(({ ephemeralFor }) => ephemeralFor === user.id);
    await ada.commands(channel, '/council sages');
    await boss.commands(channel, '/council sages');
    await boss.commands(channel, '/council sages');
    await slack.until(() => privately(boss).length === 3, 'what the manager is told');
    const notices = [...privately(ada), ...privately(boss)].filter(({ text }) =>
      text.includes('chat:write.customize'),
    );
    expect(notices.map(({ ephemeralFor }) => ephemeralFor)).toEqual([boss.user.id]);
    slack.assertNoViolations();
  });

  test('a preset that a manager saves is asked by its name, and one that there is not is told', async () => {
    const sages = { ben: [answer('No.')], cleo: [answer('Later.')] };
    const models = scriptedModels({ sages, chair: [verdict] });
    await using council = await startCouncil(models, { scopes: scopeNames });
    const { ada, boss, channel, slack, bot } = council;
    const toldTo = ({ user }: typeof ada) =>
      slack
        .messages(channel)
        .filter(({ ephemeralFor }) => ephemeralFor === user.id)
        .map(({ text }) => text)
        .join('\n');
    const given = '--description "For decisions about people" --sages ben,cleo --depth quick';
    await boss.commands(channel, `/council preset save hiring ${given}`);
    await slack.until(() => toldTo(boss).includes('preset:hiring'), 'that it is saved');
    await ada.commands(channel, '/council ask Whom? preset:firing');
    await slack.until(() => toldTo(ada).includes('There are: hiring.'), 'that there is none');
    await ada.commands(channel, '/council ask Whom should we hire? preset:hiring');
    await slack.until(() => models.unsaid() === 0, 'the council that was saved');
    await bot.idle();
    mustBeQuiet(council);
  });

  test('the leaderboard of a channel has its ranking and a table, for one person alone', async () => {
    await using council = await startCouncil(scriptedModels({}), { scopes: scopeNames });
    const { ada, channel, slack, bot } = council;
    for (let at = 0; at < 10; at += 1) {
      await scoredTurn(bot.store, `slack:${slack.workspace.id}:${channel.id}:1.${at}`);
      await scoredTurn(bot.store, `slack:T0ELSEWHERE:${channel.id}:1.${at}`, { first: 'ben' });
    }
    await ada.commands(channel, '/council leaderboard days:30');
    const shown = () =>
      slack
        .messages(channel)
        .filter(({ ephemeralFor }) => ephemeralFor === ada.user.id)
        .map(({ text }) => text)
        .join('\n');
    await slack.until(() => shown().includes('Leaderboard'), 'the leaderboard');
    expect(shown()).toContain('10 ranked turns in this channel, last 30 days');
    expect(shown()).toMatch(/1\. Ada Sage 🏆.*100 %.*72–100 %/s);
    mustBeQuiet(council);
  });

  test('a turn is shown although Slack does not say at first who the app is', async () => {
    const sages = { ben: [answer('No.')] };
    await using council = await startCouncil(scriptedModels({ sages }), { scopes: scopeNames });
    const { ada, channel, slack, bot } = council;
    slack.faults.plan('auth.test', { kind: 'drop' }, { times: 2 });
    const { thread } = await ada.mentions(channel, 'Ben: and you?');
    await slack.until(
      () => saidIn(council, thread).some(({ text }) => text.includes('No.')),
      'the answer',
    );
    await bot.idle();
    mustBeQuiet(council);
  });

  test('what was acknowledged is not lost when the bot is stopped at that moment', async () => {
    const models = scriptedModels({ moderator: [hang] });
    await using council = await startCouncil(models, { scopes: scopeNames });
    const { ada, channel, slack, bot } = council;
    const { promise: asking, resolve } = Promise.withResolvers<void>();
    slack.onCall(({ method }) => {
      if (method === 'users.info') resolve();
    });
    slack.faults.plan('users.info', { kind: 'silence after processing' });
    const said = ada.mentions(channel, 'Should we rewrite the engine?');
    await asking;
    await bot.shutDown();
    expect(await bot.store.turns.unfinished(9)).toHaveLength(1);
    await said;
  });

  test('the platform ends for good when the app is taken out of its only workspace', async () => {
    await using council = await startCouncil(scriptedModels({}), { scopes: scopeNames });
    const { platform, slack } = council;
    const ended = expect(platform.finished).rejects.toThrow('SLACK_BOT_TOKEN');
    await slack.uninstall();
    await ended;
  });
});
