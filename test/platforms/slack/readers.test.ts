import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { UnansweredError } from '../../../src/platforms/chat/pacing/platform-error.ts';
import type { SlackAnswer } from '../../../src/platforms/slack/api/slack-api.ts';
import { readersOf } from '../../../src/platforms/slack/ingress/readers.ts';
import { placeOf } from '../../../src/platforms/slack/place.ts';
import { SlackRefusal } from '../../../src/platforms/slack/slack-error.ts';
import { serverManager } from '../../bot/commanding.ts';
import { answer, scriptedModels } from '../../council/scripted-council.ts';
import { recordingLog } from '../discord/discord-world.ts';
import { startListening, turnOf } from './listening.ts';

const open = {
  is_channel: true,
  is_private: false,
  is_im: false,
  is_mpim: false,
  is_shared: false,
  is_ext_shared: false,
  is_org_shared: false,
};
const everybody = { isPrivate: false };
const members = { isPrivate: true };
const outsiders = { isPrivate: true, isOpenOutside: true };
const unknown = { isOpenOutside: true };

function readersWhere(info: object | Error) {
  const calls: string[] = [];
  const says: { info: object | Error } = { info };
  let now = Date.UTC(2026, 0, 1);
  const { log, lines } = recordingLog();
  const readers = readersOf({
    api: {
      async call(_team, method): Promise<SlackAnswer> {
        calls.push(method);
        if (says.info instanceof Error) throw says.info;
        return { ok: true, channel: says.info };
      },
    },
    log,
    now: () => now,
  });
  const later = (milliseconds: number) => {
    now += milliseconds;
  };
  return { readers, calls, lines, later, says };
}

const here = { team: 'T1', channel: 'C1' };

describe('who can read a conversation of Slack', () => {
  test.each([
    ['everybody, in a public channel', open, everybody],
    ['its members, in a private channel', { ...open, is_private: true }, members],
    ['its members, in a group message', { is_mpim: true, is_private: true }, members],
    [
      'outsiders, where it is shared with others',
      { ...open, is_shared: true, is_ext_shared: true },
      outsiders,
    ],
    [
      'outsiders, in a private channel that is shared',
      { ...open, is_private: true, is_ext_shared: true },
      outsiders,
    ],
    [
      'outsiders, where other workspaces of the organisation have it',
      { ...open, is_org_shared: true },
      outsiders,
    ],
    ['nobody knows, where Slack does not say', { id: 'C1' }, unknown],
    ['nobody knows, where Slack says half of it', { is_channel: true, is_private: false }, unknown],
  ])('%s', async (_who, info, seenBy) => {
    expect(await readersWhere(info).readers.of(here)).toEqual(seenBy);
  });

  test('is asked once in ten seconds, however often it is needed at once', async () => {
    const { readers, calls, later, says } = readersWhere(open);
    await Promise.all(Array.from({ length: 50 }, () => readers.of(here)));
    later(9000);
    says.info = { ...open, is_private: true };
    expect(await readers.of(here)).toEqual(everybody);
    expect(calls).toEqual(['conversations.info']);
    later(1001);
    expect(await readers.of(here)).toEqual(members);
    expect(calls).toHaveLength(2);
  });

  test('is known of direct messages and the App Home, without a call', async () => {
    const { readers, calls } = readersWhere(new Error('not to be called'));
    expect(await readers.of({ team: 'T1', channel: 'D1' })).toEqual(members);
    expect(await readers.of({ team: 'T1' })).toEqual(members);
    expect(calls).toEqual([]);
  });

  test('is outsiders in the direct messages of a person from elsewhere', async () => {
    const { readers } = readersWhere(new Error('not to be called'));
    const direct = { channel: 'D1', workspace: 'T2' };
    expect(await readers.of({ team: 'T1', ...direct })).toEqual(outsiders);
    expect(await readers.of({ team: 'E1', ...direct })).toEqual(members);
  });

  test('of another workspace is another', async () => {
    const { readers, calls } = readersWhere(open);
    await readers.of(here);
    await readers.of({ ...here, team: 'T2' });
    expect(calls).toHaveLength(2);
  });

  test('is never everybody where the app is installed for a whole organisation', async () => {
    const { readers } = readersWhere(open);
    expect(await readers.of({ team: 'E1', channel: 'C1' })).toEqual(members);
  });

  test('stays unknown where the app may not look, without asking for each question', async () => {
    const refusal = new SlackRefusal('no', { code: 'missing_scope', neededScope: 'channels:read' });
    const { readers, calls, lines } = readersWhere(refusal);
    expect(await readers.of(here)).toEqual(unknown);
    expect(await readers.of(here)).toEqual(unknown);
    expect(calls).toHaveLength(1);
    expect(lines).toHaveLength(1);
  });

  test('is asked again where Slack did not answer', async () => {
    const { readers, says } = readersWhere(new UnansweredError('nothing'));
    expect(await readers.of(here)).toEqual(unknown);
    says.info = open;
    expect(await readers.of(here)).toEqual(everybody);
  });

  test('keeps no question waiting for a Slack that hangs', async () => {
    const { log } = recordingLog();
    const hang = () => new Promise<SlackAnswer>(() => undefined);
    const readers = readersOf({ api: { call: hang }, log, now: () => 0, answeredWithinMs: 5 });
    expect(await readers.of(here)).toEqual(unknown);
  });

  test('is everybody only where Slack said that a channel is public', async () => {
    const flag = fc.option(fc.boolean(), { nil: undefined });
    const info = fc.record({
      is_channel: flag,
      is_private: flag,
      is_im: flag,
      is_mpim: flag,
      is_shared: flag,
      is_ext_shared: flag,
      is_org_shared: flag,
    });
    await fc.assert(
      fc.asyncProperty(info, async (said) => {
        const known = Object.entries(said).filter(([, value]) => value !== undefined);
        const { readers } = readersWhere(Object.fromEntries(known));
        const { isPrivate } = await readers.of(here);
        if (isPrivate !== false) return;
        const isPublic =
          said.is_channel === true &&
          said.is_private === false &&
          said.is_ext_shared === false &&
          !said.is_shared &&
          !said.is_org_shared &&
          !said.is_im &&
          !said.is_mpim;
        expect(isPublic).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('a question in Slack', () => {
  const quickBen = () =>
    scriptedModels({ sages: { ben: Array.from({ length: 20 }, () => answer('No.')) } });

  test('says who can read where it was asked, by whichever way it was asked', async () => {
    const world = await startListening({ models: quickBen() });
    const { slack, ada, boss, channel, taken, untilTaken } = world;
    const closed = await slack.addChannel('secret', { creator: ada, isPrivate: true });
    const shared = await slack.addChannel('partners', { creator: ada, isShared: true });
    await ada.mentions(channel, 'Ben: one?');
    await untilTaken(1);
    await ada.mentions(closed, 'Ben: two?');
    await untilTaken(2);
    await ada.mentions(shared, 'Ben: three?');
    await untilTaken(3);
    await ada.says(await ada.direct(), 'Ben: four?');
    await untilTaken(4);
    await boss.commands(channel, '/council ask Ben: five?');
    await untilTaken(5);
    await boss.commands(closed, '/council ask Ben: six?');
    await untilTaken(6);
    const seenBy = taken.map(({ request: { question, isPrivate, isOpenOutside } }) => [
      question.slice(5),
      isPrivate,
      isOpenOutside,
    ]);
    expect(seenBy).toEqual([
      ['one?', false, undefined],
      ['two?', true, undefined],
      ['three?', true, true],
      ['four?', true, undefined],
      ['five?', false, undefined],
      ['six?', true, undefined],
    ]);
    const asked = slack.calls.filter(({ method }) => method === 'conversations.info');
    expect(asked.length).toBeLessThanOrEqual(3);
  });

  test('finds what was said in other public channels, and nothing of closed ones', async () => {
    const models = quickBen();
    const world = await startListening({ models });
    const { slack, ada, channel, taken, untilTaken, bot, store } = world;
    const closed = await slack.addChannel('secret', { creator: ada, isPrivate: true });
    const shared = await slack.addChannel('partners', { creator: ada, isShared: true });
    const other = await slack.addChannel('other', { creator: ada });
    const place = placeOf({ team: slack.workspace.id, channel: other.id, thread: 'any' });
    const change = { change: 'set memoryReach workspace', scope: 'server' };
    await bot.command({ place, person: serverManager, command: 'config', options: change });
    /** What Ben is told of earlier talk when someone asks about the harbour there. */
    const toldIn = async (where: typeof channel, words: string) => {
      const count = taken.length + 1;
      await ada.mentions(where, `Ben: ${words}`);
      await untilTaken(count);
      const turn = turnOf(taken.at(-1));
      await vi.waitFor(async () =>
        expect(await store.turns.read(turn)).toMatchObject({
          outcome: 'answered',
        }),
      );
      const prompt = JSON.stringify(models.sage({ key: 'ben' }).requests.at(-1)?.messages);
      return ['open', 'closed', 'shared'].filter((word) => prompt.includes(`harbour ${word}`));
    };
    await toldIn(channel, 'Is the harbour open?');
    await toldIn(closed, 'Is the harbour closed?');
    await toldIn(shared, 'Is the harbour shared?');
    expect(await toldIn(other, 'Which harbour?')).toEqual(['open']);
    expect(await toldIn(closed, 'Which harbour?')).toEqual(['open', 'closed']);
    expect(await toldIn(shared, 'Which harbour?')).toEqual(['shared']);
  });

  test('is private from when its channel is, and where the app may not look', async () => {
    const { slack, ada, channel, taken, untilTaken } = await startListening({ models: quickBen() });
    await ada.commands(channel, '/council ask Ben: before?');
    await untilTaken(1);
    slack.changeChannel(channel, { kind: 'private' });
    slack.clock.advance(11_000);
    await ada.commands(channel, '/council ask Ben: after?');
    await untilTaken(2);
    const unseen = await slack.addChannel('unseen', { creator: ada });
    slack.setScopes(['chat:write', 'commands', 'users:read']);
    await ada.commands(unseen, '/council ask Ben: unseen?');
    await untilTaken(3);
    expect(taken.map(({ request }) => request.isPrivate)).toEqual([false, true, undefined]);
  });
});
