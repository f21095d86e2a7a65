/** A turn in Slack as it is read: question, answers, verdict and progress stand once in each place. */

import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { scopeNames as scopes } from '../../src/platforms/slack/connection/identity.ts';
import { type Script, scriptedModels, wholeScript } from '../council/scripted-council.ts';
import { serve } from '../fakes/loopback.ts';
import { type CouncilInSlack, joinSlack, startCouncil } from '../platforms/slack/slack-world.ts';
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

test('where two processes receive a mention, one as a message, what replies to it is said once', async () => {
  const shared = { isOverHttp: true, sharesEvents: true };
  await using one = await startCouncil(scriptedModels({}), shared);
  const { ada, channel, slack, bot } = one;
  await using two = await joinSlack(one, scriptedModels({}), { ...shared, store: bot.store });
  const handled: string[] = [];
  const balancer = await serve((request, response) => {
    void text(request).then(async (body) => {
      const isMention = body.includes('"app_mention"');
      const { listeningOn } = (isMention ? one : two).platform.report();
      const { 'x-slack-signature': signature, 'x-slack-request-timestamp': at } = request.headers;
      const headers = {
        'content-type': 'application/json',
        'x-slack-signature': `${signature}`,
        'x-slack-request-timestamp': `${at}`,
      };
      const address = `http://127.0.0.1:${listeningOn}/slack/events`;
      const { status } = await fetch(address, { method: 'POST', headers, body });
      handled.push(isMention ? 'mention' : 'message');
      response.writeHead(status).end();
    });
  });
  slack.deliverTo(balancer.origin);
  const replies = () => slack.messages(channel).filter(({ isApp }) => isApp);
  for (const [index, said] of ['help', 'stop', 'x'.repeat(300)].entries()) {
    await ada.mentions(channel, said);
    await slack.until(() => replies().length > index, 'the reply');
    await slack.until(() => handled.length === 2 * (index + 1), 'both events');
  }
  await Promise.all([one.platform.stop(), two.platform.stop()]);
  expect(handled.toSorted()).toEqual([...Array(3).fill('mention'), ...Array(3).fill('message')]);
  expect(replies()).toHaveLength(3);
});
