/** A question in Slack whose message is deleted: nothing more is posted, and what shows it is emptied. */

import { describe, expect, test } from 'vitest';
import { type BotChanges, fileSettings } from '../bot/bot-fixture.ts';
import { answer, scriptedModels, wholeScript } from '../council/scripted-council.ts';
import { hang } from '../fakes/scripted-model.ts';
import { type CouncilInSlack, startCouncil } from '../platforms/slack/slack-world.ts';
import { quoted, stages } from '../platforms/stages.ts';

const forgetting: BotChanges = { settings: { ...fileSettings, forgetDeleted: true } };

async function remembered({ bot, slack }: CouncilInSlack): Promise<string> {
  const { messages } = bot.store;
  const { threadIds } = await messages.threads(`slack:${slack.workspace.id}`, { limit: 500 });
  const pages = await Promise.all(threadIds.map((id) => messages.page(id, { limit: 500 })));
  return JSON.stringify(pages);
}

/** All that can be read of the thread, the first message included. */
function readable({ slack, channel }: CouncilInSlack, thread: string): readonly string[] {
  return slack.thread(channel, thread).map((message) => JSON.stringify(message));
}

describe('a question that is deleted', () => {
  test.each([
    { stage: 'while it is seated', posts: 1 },
    // What grows is begun once there is a whole word of it.
    { stage: 'while it is answered', posts: 3 },
    { stage: 'while it is reviewed', posts: 3 },
    { stage: 'while the verdict is written', posts: 4 },
    { stage: 'after it has ended', posts: 4 },
  ] as const)(
    '$stage posts nothing more, and what shows it is emptied',
    async ({ stage, posts }) => {
      const { models, held, inFlight } = stages[stage]();
      await using council = await startCouncil(models, { bot: forgetting });
      const { ada, channel, slack, bot } = council;
      const said = await ada.mentions(channel, `Which ${quoted}?`);
      await held();
      await slack.until(
        () => readable(council, said.ts).length === 1 + posts,
        'all that is said by then',
      );
      if (stage === 'after it has ended') await bot.idle();
      await ada.deletes(channel, said);
      await bot.idle();
      await expect.poll(() => remembered(council)).toBe('[]');
      const isEmptied = () => readable(council, said.ts).join('\n').includes('withdrawn');
      await slack.until(isEmptied, 'the card is emptied');
      const left = readable(council, said.ts);
      expect(left.join('\n')).not.toMatch(new RegExp(`${quoted}|Stopped|is kept`));
      // A tombstone is left of the first message; what had begun to grow is gone.
      const grows = ['while it is answered', 'while the verdict is written'].includes(stage);
      expect(left).toHaveLength(1 + posts - (grows ? 1 : 0));
      for (const { signal } of inFlight()) expect(signal.aborted).toBe(true);
      expect(await bot.store.turns.unfinished(9)).toEqual([]);
      slack.assertNoViolations();
    },
  );

  test('by one of its answers empties the post that showed what was asked by command', async () => {
    const models = scriptedModels({ sages: { ben: [hang] } });
    await using council = await startCouncil(models, { bot: forgetting });
    const { ada, boss, channel, slack, bot } = council;
    await ada.commands(channel, `/council ask Ben: which ${quoted}?`);
    await expect.poll(() => models.sage({ key: 'ben' }).requests.length).toBe(1);
    const [shown] = slack.messages(channel);
    if (!shown) throw new Error('The question is not shown.');
    await slack.until(() => slack.thread(channel, shown.ts).length === 2, 'the card');
    const card = slack.thread(channel, shown.ts)[1];
    if (!card) throw new Error('There is no card.');
    await boss.deletes(channel, card);
    await bot.idle();
    await slack.until(
      () => !readable(council, shown.ts).join('\n').includes(quoted),
      'the question is emptied',
    );
    slack.assertNoViolations();
  });

  test.each(['in its thread', 'posted to the channel'])(
    'leaves nothing of what another question had read of its verdict %s',
    async (where) => {
      const models = scriptedModels({
        ...wholeScript,
        sages: { ...wholeScript.sages, ben: [answer('Ben says no.'), answer('So be it.')] },
      });
      await using council = await startCouncil(models, { bot: forgetting });
      const { ada, boss, channel, slack, bot } = council;
      const said = await ada.mentions(channel, 'Which engine?');
      const verdict = () =>
        slack.thread(channel, said.ts).find(({ text }) => text.includes('Rewrite it in parts.'));
      await slack.until(() => verdict() !== undefined, 'the verdict');
      await bot.idle();
      const shown = { channel, ts: verdict()?.ts ?? '' };
      await ada.presses(shown, 'Post to the channel');
      const posted = () => slack.messages(channel).find(({ text }) => text.startsWith('>'));
      await slack.until(() => posted() !== undefined, 'the post');
      const isApart = where === 'posted to the channel';
      await boss.usesShortcut('ask_council', isApart ? { channel, ts: posted()?.ts ?? '' } : shown);
      await slack.until(() => boss.modal() !== undefined, 'the modal');
      await boss.submits({ question: 'Ben: is that so?' });
      await slack.until(() => models.unsaid() === 0, 'the second answer');
      await bot.idle();
      const threads = slack.messages(channel).map(({ ts, threadTs = ts }) => threadTs);
      const kept = async () => {
        const turns = await Promise.all(
          [...new Set(threads)].map((thread) =>
            bot.store.turns.list(`slack:${slack.workspace.id}:${channel.id}:${thread}`, {
              limit: 9,
            }),
          ),
        );
        const records = turns.flat().map((turn) => bot.store.turns.read(turn));
        return JSON.stringify(await Promise.all(records));
      };
      expect((await kept()).split('Rewrite it in parts.').length).toBeGreaterThan(2);
      await ada.deletes(channel, said);
      await expect.poll(kept).not.toContain('Rewrite it in parts.');
      expect(await kept()).toContain('So be it.');
      slack.assertNoViolations();
    },
  );
});
