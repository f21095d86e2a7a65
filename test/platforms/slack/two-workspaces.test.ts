/** A channel that two workspaces with the app share: Slack tells of each message once, in the name of one of them. */

import { expect, test, vi } from 'vitest';
import { scriptedModels } from '../../council/scripted-council.ts';
import { hang } from '../../fakes/scripted-model.ts';
import { startListening, turnOf } from './listening.ts';

async function startShared() {
  const models = scriptedModels({ sages: { ben: [hang, hang] } });
  const world = await startListening({ models });
  const { slack, ada, channel } = world;
  const team = slack.workspace.id;
  const other = world.addWorkspace('Stoa');
  const said = { channel: channel.id, channel_type: 'channel', event_ts: '1700000000.000100' };
  const posted = { type: 'message', user: ada.user.id, user_team: team, team };
  return {
    ...world,
    team,
    other,
    /** A message of Ada, which is told in the name of the other workspace. */
    says: (text: string, ts: string, thread?: string) => ({
      ...posted,
      text,
      ts,
      ...(thread !== undefined && { thread_ts: thread }),
    }),
    tell: (event: object) =>
      slack.events.tell({
        teamId: other.id,
        subscription: 'message.channels',
        event: { ...said, ...event },
      }),
  };
}

test('the app of the workspace that is mentioned answers, in its name and at its expense', async () => {
  const { slack, tell, says, team, channel, recent, taken, untilTaken } = await startShared();
  const ts = '1700000001.000100';
  await tell(says(`<@${slack.installation().botUserId}> Ben: why?`, ts));
  await untilTaken(1);
  await tell(says('Ben: and then?', '1700000002.000100', ts));
  await untilTaken(2);
  const threadId = `slack:${team}:${channel.id}:${ts}`;
  expect(taken.map(({ request }) => request.threadId)).toEqual([threadId, threadId]);
  // It gets only what its own people write, so it has to read the thread.
  expect(recent.of(team, channel.id, ts).said).toEqual([]);
});

test('a question is taken back whose deletion is told in the name of the other workspace', async () => {
  const { slack, tell, says, store, taken, untilTaken } = await startShared();
  const message = says(`<@${slack.installation().botUserId}> Ben: why?`, '1700000001.000100');
  await tell(message);
  await untilTaken(1);
  await tell({
    type: 'message',
    subtype: 'message_deleted',
    hidden: true,
    ts: '1700000003.000100',
    deleted_ts: message.ts,
    previous_message: message,
  });
  await vi.waitFor(async () =>
    expect(await store.turns.read(turnOf(taken[0]))).toMatchObject({ outcome: 'stopped' }),
  );
});

test('only the app to which a person writes alone answers', async () => {
  const { slack, channel, tell, says, other, team, taken, untilTaken } = await startShared();
  await tell({ ...says('Ben: why?', '1700000001.000100'), channel: 'D1', channel_type: 'im' });
  await untilTaken(1);
  await tell(says(`<@${slack.installation().botUserId}> Ben: why not?`, '1700000002.000100'));
  await untilTaken(2);
  expect(taken.map(({ request }) => request.threadId)).toEqual([
    `slack:${other.id}:D1:1700000001.000100`,
    `slack:${team}:${channel.id}:1700000002.000100`,
  ]);
});
