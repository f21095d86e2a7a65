/** What stands beside a turn in Slack: the status below its thread, and the title of a conversation with the app. */

import { describe, expect, test } from 'vitest';
import { scopeNames } from '../../src/platforms/slack/connection/identity.ts';
import { type BotChanges, fileSettings } from '../bot/bot-fixture.ts';
import { answer, scriptedModels, wholeScript } from '../council/scripted-council.ts';
import { hang } from '../fakes/scripted-model.ts';
import { startCouncil } from '../platforms/slack/slack-world.ts';

const scopes = scopeNames;

describe('the status below a thread', () => {
  test('is sent only when it changes, and taken away in the end', async () => {
    await using council = await startCouncil(scriptedModels(wholeScript), { scopes });
    const { ada, channel, slack, bot } = council;
    const { thread } = await ada.mentions(channel, 'Should we rewrite the engine?');
    await slack.until(
      () => slack.thread(channel, thread)[1]?.text.includes('has answered') === true,
      'the end of the turn',
    );
    await bot.idle();
    const shown = slack.assistant.statuses.map(({ status }) => status);
    const said = shown.filter((status) => status !== '');
    expect(said.filter((status, index) => status === said[index - 1])).toEqual([]);
    expect(shown).toContain('is weighing it all…');
    expect(shown.at(-1)).toBe('');
    slack.assertNoViolations();
  });
});

describe('the title of a conversation with the app', () => {
  const question = 'Should we hire now, or wait until the **next quarter** is planned?';

  test('is what was asked first', async () => {
    await using council = await startCouncil(
      scriptedModels({ ...wholeScript, moderator: [], sages: { ben: ['Ben: no.', 'Ben: yes.'] } }),
      { scopes },
    );
    const { ada, slack, bot } = council;
    const direct = await ada.direct();
    const { thread } = await ada.says(direct, `Ben: ${question}`);
    await slack.until(() => slack.assistant.titles.length === 1, 'the title');
    await ada.says(direct, 'Ben: and if we could?', { thread });
    await bot.idle();
    const title = `Ben: ${question}`;
    expect(slack.assistant.titles).toEqual([{ channel: direct.id, thread, title }]);
    slack.assertNoViolations();
  });

  test('is emptied when the question is taken back', async () => {
    const forgetting: BotChanges = { settings: { ...fileSettings, forgetDeleted: true } };
    const models = scriptedModels({ sages: { ben: [hang] } });
    await using council = await startCouncil(models, { scopes, bot: forgetting });
    const { ada, slack, bot } = council;
    const direct = await ada.direct();
    const said = await ada.says(direct, `Ben: ${question}`);
    await slack.until(() => slack.assistant.titles.length === 1, 'the title');
    await ada.deletes(direct, said);
    await bot.idle();
    expect(slack.assistant.titles.at(-1)?.title).toBe('This question was withdrawn.');
  });
});

describe('the progress of a turn', () => {
  test('is told in a line where Slack takes no plan', async () => {
    const no = answer('No.');
    const models = scriptedModels({ sages: { ben: [no, no] } });
    await using council = await startCouncil(models, { scopes });
    const { ada, channel, slack, bot } = council;
    slack.faults.plan('chat.postMessage', { kind: 'refusal', error: 'invalid_blocks' });
    for (const question of ['Ben: why?', 'Ben: why not?']) {
      const { thread } = await ada.mentions(channel, question);
      await slack.until(
        () => slack.thread(channel, thread)[1]?.text.includes('1 of 1 answered.') === true,
        question,
      );
      await bot.idle();
    }
    const opened = slack.calls
      .filter(({ method, args }) => method === 'chat.postMessage' && args.username === undefined)
      .map(({ args }) => JSON.stringify(args.blocks));
    expect(opened.map((blocks) => blocks.includes('task_card'))).toEqual([true, false, true]);
    expect(opened[1]).toContain('Stop');
  });
});
