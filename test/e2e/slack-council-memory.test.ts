/** What people see of the council's memory in Slack, and what they do about it. */

import { describe, expect, test } from 'vitest';
import { scopeNames } from '../../src/platforms/slack/connection/identity.ts';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import { type CouncilInSlack, startCouncil } from '../platforms/slack/slack-world.ts';

function privately({ slack, channel }: CouncilInSlack, { user }: CouncilInSlack['ada']) {
  return slack.messages(channel).filter(({ ephemeralFor }) => ephemeralFor === user.id);
}

/** Gives a command, and waits for what no one else sees. */
async function give(council: CouncilInSlack, line: string, person = council.ada) {
  const before = privately(council, person).length;
  await person.commands(council.channel, `/council memory ${line}`);
  await council.slack.until(() => privately(council, person).length > before, line);
  const [reply] = privately(council, person).slice(before);
  if (!reply) throw new Error('There is no answer.');
  return reply;
}

function shownIn({ blocks }: { readonly blocks?: unknown }): string {
  return JSON.stringify(blocks);
}

describe('memory in Slack', () => {
  test('is shown with links, searched, corrected and forgotten, in private all the while', async () => {
    const said = ['In June.', 'Yes.'].map((text) => answer(text));
    const models = scriptedModels({ sages: { ben: said } });
    await using council = await startCouncil(models, { scopes: scopeNames });
    const { ada, boss, channel, slack, bot } = council;
    const team = slack.workspace.id;
    const { thread } = await ada.mentions(channel, 'Ben: dredge *now* <!channel> `?');
    await slack.until(
      () => slack.thread(channel, thread).some(({ text }) => text === 'In June.'),
      'the answer',
    );
    await bot.idle();
    const threadId = `slack:${team}:${channel.id}:${thread}`;
    const messages = await bot.store.messages.page(threadId, { limit: 9 });
    await bot.store.memories.keepShard({
      id: 'sum',
      threadId,
      text: 'The harbour is dredged in June.',
      isPrivate: false,
      sourceIds: messages.map(({ id }) => id).reverse(),
      createdAt: messages[0]?.createdAt ?? 0,
      agesFrom: messages[0]?.createdAt ?? 0,
    });
    const shown = shownIn(await give(council, ''));
    expect(shown).toContain('Remembered in this channel: 2 messages and 1 summary');
    const link = `https://app.slack.com/client/${team}/${channel.id}/thread/${channel.id}-${thread}`;
    expect(shown).toContain(link);
    expect(shown).not.toMatch(/<!channel>|(?<!\\\\)\*now/);
    const [, id = ''] = /\*\*([0-9a-f]{10})\*\*\\nSummary of 2 messages/.exec(shown) ?? [];
    expect(shownIn(await give(council, 'search harbour'))).toContain('dredged in June');
    expect(shownIn(await give(council, `edit ${id} It is in May.`))).toContain(
      'Only those who may manage this channel',
    );
    const corrected = shownIn(await give(council, `edit ${id} It is in May: 100 %.`, boss));
    expect(corrected).toContain('It is in May: 100 %.');
    expect(corrected).toContain('· edited');
    // The thread of Slack is the one in which the person asked last; the button keeps to it.
    const preview = await give(council, 'forget mine');
    expect(shownIn(preview)).toContain('1 question, 1 answer, 1 summary made of them');
    const before = privately(council, ada).length;
    await ada.presses({ channel, ts: preview.ts }, 'Forget it for good');
    await slack.until(() => privately(council, ada).length > before, 'that it is done');
    expect(privately(council, ada).at(-1)?.text).toContain(
      'Forgotten: 1 question, 1 answer, 1 summary made of them.',
    );
    expect(shownIn(await give(council, ''))).toContain('Nothing is remembered in this channel yet');
    const everybodys = slack.thread(channel, thread).filter(({ ephemeralFor }) => !ephemeralFor);
    expect(everybodys.map(({ text }) => text).join('\n')).not.toMatch(/Remembered|Forgotten/);
    slack.assertNoViolations();
  });

  test('of a thread is forgotten by anyone who manages the channel, and it is the one that was shown', async () => {
    const said = ['One.', 'Two.'].map((text) => answer(text));
    await using council = await startCouncil(scriptedModels({ sages: { ben: said } }), {
      scopes: scopeNames,
    });
    const { boss, channel, slack, bot } = council;
    const first = await boss.mentions(channel, 'Ben: first?');
    await bot.idle();
    await slack.until(() => slack.thread(channel, first.thread).length > 2, 'the first answer');
    await bot.idle();
    const preview = await give(council, 'forget thread', boss);
    expect(shownIn(preview)).toContain(`in this thread: https://app.slack.com`);
    const second = await boss.mentions(channel, 'Ben: second?');
    await slack.until(() => slack.thread(channel, second.thread).length > 2, 'the second answer');
    await bot.idle();
    const before = privately(council, boss).length;
    await boss.presses({ channel, ts: preview.ts }, 'Forget it for good');
    await slack.until(() => privately(council, boss).length > before, 'that it is done');
    const shown = shownIn(await give(council, '', boss));
    expect(shown).toContain('second?');
    expect(shown).not.toContain('first?');
    slack.assertNoViolations();
  });
});
