import { expect, test } from 'vitest';
import {
  RateLimitedError,
  UnansweredError,
} from '../../../src/platforms/chat/pacing/platform-error.ts';
import type { Ingress } from '../../../src/platforms/platform.ts';
import { visibleQuestions } from '../../../src/platforms/slack/ingress/ask-by-command.ts';
import { peopleOf } from '../../../src/platforms/slack/ingress/people.ts';
import { readersOf } from '../../../src/platforms/slack/ingress/readers.ts';
import { SlackRefusal } from '../../../src/platforms/slack/slack-error.ts';
import { recordingLog } from '../discord/discord-world.ts';
import { ScriptedIngress } from '../terminal/scripted-ingress.ts';

const kept = {
  turnId: 'turn-1',
  threadId: 'slack:T1:C1:event-1',
  eventId: 'event-1',
  question: 'Why?',
  author: { id: 'U1', name: 'Ann' },
  askedAt: Date.UTC(2026, 0, 1),
};

function questionsWhere(failure: Error, taken: Partial<Ingress> = {}) {
  const api = { call: () => Promise.reject(failure) };
  const lookup = { api, log: recordingLog().log, now: () => kept.askedAt };
  return visibleQuestions({
    ...lookup,
    ingress: Object.assign(
      new ScriptedIngress(() => expect.unreachable('Nothing is asked.')),
      taken,
    ),
    people: peopleOf(lookup),
    readers: readersOf(lookup),
  });
}

test('a question that was taken has not failed where that can’t be told', async () => {
  const questions = questionsWhere(new UnansweredError('nothing'), {
    ask: async () => ({ status: 'accepted', turnId: 'turn-1', isNew: true, turnsBefore: 0 }),
  });
  const untold = () => Promise.reject(new Error('The address is no longer valid.'));
  const answer = { say: untold, show: untold, send: untold };
  const scene = { team: 'T1', channel: 'C1', userId: 'U1' };
  await questions.ask(scene, { question: 'Why?', eventId: 'event-1' }, answer);
});

test('a kept question that Slack’s limits hold back stays kept', async () => {
  const limited = new RateLimitedError('Later.', { retryAfterMs: 600_000 });
  await expect(questionsWhere(limited).openAgain(kept)).rejects.toBe(limited);
});

test.each([
  { in: 'a channel', channel: 'C1', words: 'Invite me with /invite' },
  { in: 'a direct message of two people', channel: 'D1', words: 'in a direct message with me' },
])('a question where the app is not, in $in, is refused with what helps there', async (where) => {
  const absent = new SlackRefusal('No.', { code: 'channel_not_found' });
  const asked = { ...kept, threadId: `slack:T1:${where.channel}:event-1` };
  expect(await questionsWhere(absent).openAgain(asked)).toEqual({
    whyNot: expect.stringContaining(where.words),
  });
});

test('a kept question whose channel is archived meanwhile is refused', async () => {
  const archived = new SlackRefusal('No.', { code: 'is_archived' });
  expect(await questionsWhere(archived).openAgain(kept)).toEqual({
    whyNot: expect.stringContaining('the channel is archived'),
  });
});
