import { describe, expect, test } from 'vitest';
import { silentLog } from '../../../src/domain/log.ts';
import type { TurnRequest } from '../../../src/domain/turn.ts';
import { placeOf, readThreadId } from '../../../src/platforms/slack/place.ts';
import { createSlack } from '../../../src/platforms/slack/slack.ts';
import { type PlatformWorld, platformCases } from '../../contracts/platform.ts';
import { afterVerdictCases, turnOf } from '../../contracts/platform-after-verdict.ts';
import { startWorld } from '../../fakes/slack/connected-app.ts';
import type { FakeSlack } from '../../fakes/slack/slack.ts';
import { unlimited } from '../unlimited.ts';
import { unstored } from './unstored.ts';

async function slackWorld() {
  const { slack, channel, ada, ...world } = await startWorld();
  const { botToken } = slack.installation();
  return {
    slack,
    open: () =>
      createSlack({
        access: { kind: 'socket', botToken, appToken: slack.app.appToken },
        ...unstored,
        commands: [],
        log: silentLog,
        apiUrl: slack.api,
        limits: unlimited,
      }),
    ask: async (question: string) => {
      const { ts, thread } = await ada.says(channel, question);
      return {
        ...placeOf({ team: slack.workspace.id, channel: channel.id, thread }),
        turnId: `turn-${ts}`,
        eventId: `${channel.id}:${ts}`,
        question,
        author: { id: ada.user.id, name: 'Ada' },
        askedAt: Math.round(Number(ts) * 1000),
      };
    },
    transcript: ({ threadId }: TurnRequest) =>
      slack
        .thread(channel, readThreadId(threadId).thread)
        .filter(({ isApp }) => isApp)
        .map(({ author, text }) => `${author}\n${text}`)
        .join('\n\n'),
    channel: () =>
      slack
        .messages(channel)
        .filter(({ isApp, threadTs }) => isApp && threadTs === undefined)
        .map(({ text }) => text)
        .join('\n\n'),
    alarms: () =>
      slack.calls.flatMap(({ args }) => readAsMarks(args)).filter((text) => /<[!@]/.test(text)),
    shut: () => void slack.changeChannel(channel, { isArchived: true }),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  } satisfies PlatformWorld & { readonly slack: FakeSlack };
}

/** The texts in which angle brackets are mentions; in all else Slack reads no marks. */
function readAsMarks({ text, markdown_text, status, blocks }: Readonly<Record<string, unknown>>) {
  const markdown = Array.isArray(blocks) ? blocks.filter(({ type }) => type === 'markdown') : [];
  return [text, markdown_text, status, ...markdown.map((block) => block.text)].map(String);
}

describe('Slack keeps the contract of platforms:', () => {
  test.each([...platformCases, ...afterVerdictCases])('$name', async ({ run }) => {
    await using world = await slackWorld();
    await run(world);
  });
});

test('Slack looks for a verdict that it posted by its time alone, and posts a deleted one again', async () => {
  await using world = await slackWorld();
  const request = await world.ask('Should we rewrite it?');
  const at = request.askedAt;
  const posted = async (post?: string) =>
    world.open().post(turnOf(request, { posted: { at, ...(post !== undefined && { post }) } }));
  const first = await posted();
  const { length } = world.slack.calls;
  expect(await posted(first)).toBe(first);
  expect(world.slack.calls.slice(length)).toMatchObject([
    { method: 'conversations.history', args: { oldest: first, latest: first } },
  ]);
  await world
    .open()
    .unpost({ request, posted: { at, ...(first !== undefined && { post: first }) } });
  const second = await posted(first);
  expect(second).not.toBe(first);
  // As after a crash, before the second was stored.
  expect(await posted(first)).toBe(second);
  expect(world.channel().split('Do both.')).toHaveLength(2);
});
