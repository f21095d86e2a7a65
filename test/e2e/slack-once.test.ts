/** A turn in Slack as it is read: question, answers, verdict and progress stand once in each place. */

import { expect, test } from 'vitest';
import { scopeNames as scopes } from '../../src/platforms/slack/connection/identity.ts';
import { type Script, scriptedModels, wholeScript } from '../council/scripted-council.ts';
import { type CouncilInSlack, startCouncil } from '../platforms/slack/slack-world.ts';
import { unlimited } from '../platforms/unlimited.ts';
import { afterBen, expectOnce, question } from './said-once.ts';

type Channel = CouncilInSlack['channel'];

/** Where a whole turn is. */
interface Asked {
  readonly channel: Channel;
  readonly thread: string;
  /** What stood there before it. */
  readonly from?: number;
  /** How often the question has to be shown. */
  readonly shown: 0 | 1;
}

function shownIn({ slack }: CouncilInSlack, { channel, thread, from = 0 }: Asked) {
  const all = slack.thread(channel, thread).slice(from);
  return all
    .filter(({ isApp, ephemeralFor }) => isApp && ephemeralFor === undefined)
    .map(({ text }) => text);
}

async function expectReadOnce(
  script: Script,
  ask: (council: CouncilInSlack) => Promise<Asked>,
): Promise<void> {
  await using council = await startCouncil(scriptedModels(script), { scopes, pacing: unlimited });
  const { slack, bot } = council;
  const asked = await ask(council);
  const isOver = () =>
    shownIn(council, asked).some((text) => text.includes('The council has answered.'));
  await slack.until(isOver, 'the end');
  await bot.idle();
  expectOnce(shownIn(council, asked), asked.shown);
  slack.assertNoViolations();
}

/** Ben has answered in a thread, and the next turn comes into it. */
async function followUp(
  { slack, bot, ada }: CouncilInSlack,
  channel: Channel,
  begin: (text: string) => Promise<{ readonly thread: string }>,
  next: string,
): Promise<Asked> {
  const { thread } = await begin('Ben: are you there?');
  const isAnswered = () => slack.thread(channel, thread).some(({ text }) => text === 'I am.');
  await slack.until(isAnswered, 'the first answer');
  await bot.idle();
  const from = slack.thread(channel, thread).length;
  await ada.says(channel, next, { thread });
  return { channel, thread, from, shown: 0 };
}

test('of a mention', () =>
  expectReadOnce(wholeScript, async ({ ada, channel }) => {
    const { thread } = await ada.mentions(channel, question);
    return { channel, thread, shown: 0 };
  }));

test('of a command, whose question no one has written', () =>
  expectReadOnce(wholeScript, async ({ ada, channel, slack }) => {
    await ada.commands(channel, `/council ask ${question}`);
    const root = () => slack.messages(channel).find(({ isApp }) => isApp);
    await slack.until(() => root() !== undefined, 'the question');
    return { channel, thread: root()?.ts ?? '', shown: 1 };
  }));

test('of a direct message', () =>
  expectReadOnce(wholeScript, async ({ ada }) => {
    const channel = await ada.direct();
    const { thread } = await ada.says(channel, question);
    return { channel, thread, shown: 0 };
  }));

test('of a follow-up in a direct message', () =>
  expectReadOnce(afterBen, async (council) => {
    const channel = await council.ada.direct();
    return followUp(council, channel, (text) => council.ada.says(channel, text), question);
  }));

test('of a follow-up in a thread', () =>
  expectReadOnce(afterBen, (council) => {
    const { ada, channel, slack } = council;
    const next = `<@${slack.installation().botUserId}> ${question}`;
    return followUp(council, channel, (text) => ada.mentions(channel, text), next);
  }));

test('of a question about another’s message, which its thread shows with whom it is about', () =>
  expectReadOnce(wholeScript, async (council) => {
    const { ada, boss, channel, slack } = council;
    const said = await boss.says(channel, 'We ship on Friday');
    await ada.usesShortcut('ask_council', said);
    await slack.until(() => ada.modal() !== undefined, 'the modal');
    await ada.submits({ question });
    const asked = { channel, thread: said.ts, shown: 1 } as const;
    await slack.until(() => shownIn(council, asked).length > 0, 'the question');
    expect(shownIn(council, asked)[0]).toContain('About what boss wrote (https://');
    return asked;
  }));
