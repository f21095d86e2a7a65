import { describe, expect, test } from 'vitest';
import { UnansweredError } from '../../../src/platforms/chat/pacing/platform-error.ts';
import type { SlackAnswer } from '../../../src/platforms/slack/api/slack-api.ts';
import { peopleOf } from '../../../src/platforms/slack/ingress/people.ts';
import { SlackRefusal } from '../../../src/platforms/slack/slack-error.ts';
import { recordingLog } from '../discord/discord-world.ts';

const admin = { id: 'U1', team_id: 'T1', is_admin: true, profile: { display_name: 'Ann' } };
const member = { ...admin, is_admin: false };

function peopleWhere(user: object | Error, creator = 'U9') {
  const calls: string[] = [];
  let now = Date.UTC(2026, 0, 1);
  const { log, lines } = recordingLog();
  const people = peopleOf({
    api: {
      async call(_team, method): Promise<SlackAnswer> {
        calls.push(method);
        if (method === 'conversations.info') return { ok: true, channel: { creator } };
        if (user instanceof Error) throw user;
        return { ok: true, user };
      },
    },
    log,
    now: () => now,
  });
  const later = (milliseconds: number) => {
    now += milliseconds;
  };
  return { people, calls, lines, later };
}
const inChannel = { team: 'T1', channel: 'C1', userId: 'U1' };

describe('who manages in Slack', () => {
  test.each([
    ['an admin', admin, 'U9', true, true],
    ['an owner', { ...member, is_owner: true }, 'U9', true, true],
    ['who made the channel', member, 'U1', true, false],
    ['nobody else', member, 'U9', false, false],
    ['no admin of another organisation', { ...admin, team_id: 'T2' }, 'U9', false, false, true],
    ['no stranger', { ...admin, is_stranger: true }, 'U1', false, false, true],
    [
      'nobody of another organisation who made the channel',
      { ...member, team_id: 'T2' },
      'U1',
      false,
      false,
      true,
    ],
    [
      'an admin of the organisation that the workspace is of',
      { ...admin, team_id: 'T2', enterprise_user: { enterprise_id: 'E1', teams: ['T1', 'T2'] } },
      'U9',
      true,
      true,
    ],
  ])('%s', async (_who, user, creator, isManager, isServerManager, isOutsider = false) => {
    const { people } = peopleWhere(user, creator);
    expect(await people.personIn(inChannel)).toEqual({
      id: 'U1',
      name: 'Ann',
      isManager,
      isServerManager,
      ...(isOutsider && { isOutsider }),
    });
  });

  test.each([
    ['an admin of one of its workspaces, in channels alone', {}, false],
    ['an admin of all of it', { is_admin: true }, true],
    ['an owner of all of it', { is_owner: true }, true],
  ])('of a whole organisation is %s', async (_who, ofAll, isServerManager) => {
    const enterprise_user = { enterprise_id: 'E1', teams: ['T1', 'T2'], ...ofAll };
    const { people } = peopleWhere({ ...admin, enterprise_user });
    const person = await people.personIn({ ...inChannel, team: 'E1' });
    expect(person).toMatchObject({ isManager: true, isServerManager });
  });

  test('is everybody in their own conversation with the bot', async () => {
    const { people, calls } = peopleWhere(member);
    const person = await people.personIn({ ...inChannel, channel: 'D1' });
    expect(person).toMatchObject({ isManager: true, isServerManager: false });
    expect(calls).toEqual(['users.info']);
  });

  test('is asked anew each time', async () => {
    const { people, calls } = peopleWhere(admin);
    await people.personIn(inChannel);
    await people.personIn(inChannel);
    expect(calls).toEqual(['users.info', 'users.info']);
  });

  test('is no one while the app may not know, which is logged', async () => {
    const refusal = new SlackRefusal('no', { code: 'missing_scope', neededScope: 'users:read' });
    const { people, lines } = peopleWhere(refusal);
    const person = await people.personIn(inChannel);
    expect(person).toMatchObject({ name: 'U1', isManager: false });
    expect(person).not.toHaveProperty('isOutsider');
    expect(lines).toHaveLength(1);
  });

  test.each([
    ['T1', { isOutsider: true }],
    ['E1', { workspace: 'T2' }],
  ])('is told from outsiders of %s by the event, while the app may not know', async (team, who) => {
    const { people } = peopleWhere(new SlackRefusal('no', { code: 'user_not_visible' }));
    const person = await people.personIn({ ...inChannel, team, workspace: 'T2' });
    expect(person).toEqual({
      id: 'U1',
      name: 'U1',
      isManager: false,
      isServerManager: false,
      workspace: 'T2',
      ...who,
    });
  });

  test('is not guessed where Slack does not answer', async () => {
    const { people } = peopleWhere(new UnansweredError('nothing'));
    await expect(people.personIn(inChannel)).rejects.toThrow(UnansweredError);
  });
});

describe('a name in Slack', () => {
  test('is asked for once in ten minutes, however often it is needed at once', async () => {
    const { people, calls, later } = peopleWhere(member);
    await Promise.all(Array.from({ length: 50 }, () => people.nameOf('T1', 'U1')));
    later(599_000);
    expect(await people.nameOf('T1', 'U1')).toBe('Ann');
    expect(calls).toHaveLength(1);
    later(2000);
    await people.nameOf('T1', 'U1');
    expect(calls).toHaveLength(2);
  });

  test('of another workspace is another', async () => {
    const { people, calls } = peopleWhere(member);
    await people.nameOf('T1', 'U1');
    await people.nameOf('T2', 'U1');
    expect(calls).toHaveLength(2);
  });

  test('that could not be read is asked for again', async () => {
    const { people, calls } = peopleWhere(new UnansweredError('nothing'));
    expect(await people.nameOf('T1', 'U1')).toBe('U1');
    expect(await people.nameOf('T1', 'U1')).toBe('U1');
    expect(calls).toHaveLength(2);
  });
});
