import { describe, expect, test, vi } from 'vitest';
import type { Reply } from '../../../commands/command.ts';
import { leaderboardChart } from '../../../src/charts/bar-charts.ts';
import { picture } from '../../../src/charts/drawing.ts';
import type { UploadedFile } from '../../../src/platforms/slack/api/messages.ts';
import { showReply } from '../../../src/platforms/slack/ingress/answers.ts';
import { answer, scriptedModels } from '../../council/scripted-council.ts';
import { usualScopes } from '../../fakes/slack/world/app.ts';
import { startListening, turnOf } from './listening.ts';

const minutesOfBen = JSON.stringify({
  question: 'Why?',
  options: [],
  positions: [{ said: 2, position: 'Because.' }],
  decision: { status: 'none', text: '', said: 0 },
  rationale: '',
  dissent: [],
  open_questions: [],
  actions: [],
});

/** A workspace in which Ada has asked Ben something, and was answered. */
async function startAnswered(lacking: readonly string[] = []) {
  const world = await startListening({
    models: scriptedModels({
      sages: { ben: [answer('Because.'), answer('By Friday.')] },
      chair: ['ada asked why. Ben Sage: because.', minutesOfBen],
    }),
  });
  const { slack, ada, channel, taken, untilTaken, store } = world;
  slack.setScopes(usualScopes.filter((scope) => !lacking.includes(scope)));
  const direct = await ada.direct();
  const ask = async (where: typeof channel) => {
    await (where === channel ? ada.mentions(where, 'Ben: why?') : ada.says(where, 'Ben: why?'));
    await untilTaken(1);
    const turn = turnOf(taken[0]);
    await vi.waitFor(async () =>
      expect(await store.turns.read(turn)).toMatchObject({
        outcome: 'answered',
      }),
    );
  };
  const files = (where: typeof channel) =>
    slack
      .appMessages()
      .filter((message) => message.channel.id === where.id)
      .flatMap((message) => message.files.map(({ name }) => `${name}`));
  return { ...world, direct, ask, files };
}

describe('files in Slack', () => {
  test('that are for everybody are in the thread that they are about', async () => {
    const { slack, ada, channel, direct, ask, files, taken, privately } = await startAnswered();
    await ask(channel);
    await ada.commands(channel, '/council minutes');
    await slack.until(() => privately(ada).length === 1, 'that they are posted');
    expect(files(channel)).toEqual([
      expect.stringMatching(/^minutes-[\d-]+\.md$/),
      expect.stringMatching(/^minutes-[\d-]+\.json$/),
      expect.stringMatching(/^minutes-[\d-]+\.html$/),
    ]);
    const message = slack.appMessages().find(({ files: given }) => given.length > 0);
    expect(message?.threadTs).toBe(taken[0]?.request.threadId.split(':').at(-1));
    const url = String(message?.files[0]?.url_private);
    const authorization = `Bearer ${slack.installation().botToken}`;
    const read = await fetch(url, { headers: { authorization } });
    expect(await read.text()).toContain('# Minutes');
    expect(files(direct)).toEqual([]);
  });

  test('that are for one person are in their direct messages, and no one else is told', async () => {
    const { slack, ada, bob, channel, direct, ask, files, privately } = await startAnswered();
    await ask(channel);
    await ada.commands(channel, '/council export');
    await slack.until(() => privately(ada).length === 2, 'where it is');
    expect(privately(ada)).toEqual([
      expect.stringContaining('Here is what was said in this thread.'),
      expect.stringContaining('in your direct messages with me'),
    ]);
    expect(files(direct)).toEqual([expect.stringMatching(/^council-slack-.*\.md$/)]);
    expect(files(channel)).toEqual([]);
    expect(privately(bob)).toEqual([]);
    const open = slack
      .appMessages()
      .filter(({ channel: where, ephemeralFor }) => where.id === channel.id && !ephemeralFor);
    expect(open).toEqual([]);
  });

  test('of all that one person has asked hold nothing that others asked, and are theirs alone', async () => {
    const { slack, ada, bob, channel, direct, ask, files, privately, taken, untilTaken, store } =
      await startAnswered();
    await ask(channel);
    await bob.mentions(channel, 'Ben: by when?');
    await untilTaken(2);
    await vi.waitFor(async () =>
      expect(await store.turns.read(turnOf(taken[1]))).toMatchObject({ outcome: 'answered' }),
    );
    await ada.commands(channel, '/council export --scope mine');
    await slack.until(() => privately(ada).length === 2, 'where it is');
    expect(files(direct)).toEqual([expect.stringMatching(/\.md$/)]);
    expect(files(channel)).toEqual([]);
    const sent = slack.appMessages().find(({ files: given }) => given.length > 0);
    const authorization = `Bearer ${slack.installation().botToken}`;
    const read = await fetch(`${sent?.files[0]?.url_private}`, { headers: { authorization } });
    const text = await read.text();
    expect(text).toContain('Because.');
    expect(text).not.toContain('by when');
    expect(text).not.toContain('By Friday.');
    expect(privately(bob)).toEqual([]);
  });

  test('that someone asks for in direct messages are right there', async () => {
    const { slack, ada, direct, ask, files } = await startAnswered();
    await ask(direct);
    await ada.commands(direct, '/council export --format json');
    await slack.until(() => files(direct).length === 1, 'the file');
    expect(files(direct)).toEqual([expect.stringMatching(/\.json$/)]);
    expect(slack.calls.map(({ method }) => method)).not.toContain('conversations.open');
  });

  test.each([[['files:write']], [['im:write']], [['files:write', 'im:write']]])(
    'are shown as text to who asked where %j is missing, and to nobody else',
    async (lacking) => {
      const { slack, ada, channel, ask, files, privately } = await startAnswered(lacking);
      await ask(channel);
      await ada.commands(channel, '/council export');
      await slack.until(() => privately(ada).length === 2, 'its text');
      expect(privately(ada)[1]).toMatch(/I may not upload files here.*Because\./s);
      expect(files(channel)).toEqual([]);
      expect(slack.calls.map(({ method }) => method)).not.toContain('files.completeUploadExternal');
    },
  );

  test('are shown as text to everybody where files:write is missing', async () => {
    const { slack, ada, channel, ask, privately } = await startAnswered(['files:write']);
    await ask(channel);
    await ada.commands(channel, '/council minutes');
    await slack.until(() => privately(ada).length === 1, 'that they are posted');
    const posted = slack.appMessages().filter(({ ephemeralFor }) => ephemeralFor === undefined);
    expect(posted).toHaveLength(2);
    expect(posted[1]?.text).toMatch(/I may not upload files here.*minutes-.*"question": "Why\?"/s);
    expect(posted[1]?.text).not.toContain('<html');
  });

  test('are not sent again where Slack does not say whether it has them', async () => {
    const { slack, ada, channel, direct, ask, files, privately } = await startAnswered();
    await ask(channel);
    slack.faults.plan('files.completeUploadExternal', { kind: 'drop after processing' });
    await ada.commands(channel, '/council export');
    await slack.until(() => privately(ada).length === 2, 'the failure');
    expect(privately(ada)[1]).toContain('Slack did not accept it');
    expect(files(direct)).toHaveLength(1);
  });

  test('for everybody where the app is no member any more are not there, and why is said in words', async () => {
    const { slack, ada, channel, ask, files, privately } = await startAnswered();
    await ask(channel);
    slack.changeChannel(channel, { members: new Set([ada.user.id]) });
    await ada.commands(channel, '/council minutes');
    await slack.until(() => privately(ada).length === 1, 'why not');
    expect(privately(ada)[0]).toContain('Invite me with /invite');
    expect(files(channel)).toEqual([]);
  });

  test('of minutes that may be there are not said to have failed, as asking again costs again', async () => {
    const { slack, ada, channel, ask, files, privately } = await startAnswered();
    await ask(channel);
    slack.faults.plan('files.completeUploadExternal', { kind: 'drop after processing' });
    await ada.commands(channel, '/council minutes');
    await slack.until(() => privately(ada).length === 1, 'the failure');
    expect(files(channel)).toHaveLength(3);
    expect(privately(ada)[0]).toContain('have a look before you try again');
  });
});

test('a chart is uploaded as a picture with an alternative text', async () => {
  const { svg } = leaderboardChart([], 'this channel', picture);
  const uploads: UploadedFile[] = [];
  const reply: Reply = {
    isPrivate: false,
    blocks: [
      {
        type: 'file',
        name: 'leaderboard.svg',
        mediaType: 'image/svg+xml',
        isDrawn: true,
        content: svg,
        description: 'Ada leads.',
      },
    ],
  };
  await showReply(reply, {
    send: async () => undefined,
    upload: async (files) => {
      uploads.push(...files);
      return undefined;
    },
  });
  expect(uploads).toMatchObject([{ name: 'leaderboard.png', description: 'Ada leads.' }]);
  expect(`${uploads[0]?.data}`).toContain('PNG');
});
