import { describe, test } from 'vitest';
import { silentLog } from '../../../src/domain/log.ts';
import { placeOf, readThreadId } from '../../../src/platforms/slack/place.ts';
import { createSlack } from '../../../src/platforms/slack/slack.ts';
import { type PlatformWorld, platformCases } from '../../contracts/platform.ts';
import { afterVerdictCases } from '../../contracts/platform-after-verdict.ts';
import { startWorld } from '../../fakes/slack/connected-app.ts';
import { unlimited } from '../unlimited.ts';
import { unstored } from './unstored.ts';

async function slackWorld(): Promise<PlatformWorld> {
  const { slack, channel, ada, ...world } = await startWorld();
  const { botToken } = slack.installation();
  return {
    open: () =>
      createSlack({
        access: { kind: 'socket', botToken, appToken: slack.app.appToken },
        ...{ ...unstored, commands: [], log: silentLog, apiUrl: slack.api, limits: unlimited },
      }),
    ask: async (question) => {
      const { ts, thread } = await ada.says(channel, question);
      return {
        ...placeOf({ team: slack.workspace.id, channel: channel.id, thread }),
        ...{ turnId: `turn-${ts}`, eventId: `${channel.id}:${ts}`, question },
        author: { id: ada.user.id, name: 'Ada' },
        askedAt: Math.round(Number(ts) * 1000),
      };
    },
    transcript: ({ threadId }) =>
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
  };
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
