/** Remarks that rules can't tell, in a thread of the council: the moderator tells, once, and at whose cost. */

import { expect, test } from 'vitest';
import { ModelError } from '../../../src/models/chat-model.ts';
import type { Embedder } from '../../../src/models/embeddings.ts';
import type { Question, Remark } from '../../../src/platforms/platform.ts';
import { InlineQuotas } from '../../../src/queue/inline/inline-coordination.ts';
import {
  answer,
  bench,
  type ScriptedModels,
  scriptedModels,
  seating,
  verdict,
} from '../../council/scripted-council.ts';
import { hang } from '../../fakes/scripted-model.ts';
import {
  type BotChanges,
  fileSettings,
  place,
  question,
  startBot,
  type TestBot,
} from '../bot-fixture.ts';
import { conversations } from '../remarks/conversations.ts';

const inThread: Remark = {
  text: 'what about android though',
  where: 'thread',
  namesCouncil: false,
  isForOthers: false,
};
const away = new ModelError('The server is away.', {
  failure: 'server_error',
  model: 'test:moderator',
});
const nobody = '{"respond": "nobody"}';
/** As the moderator seats when it wants an answer. */
const benAnswers = JSON.stringify({
  respond: 'council',
  on_request: 'ben',
  ...JSON.parse(seating(['ben', 'cleo'])),
});

function said(text: string, eventId = 'event-1'): Question {
  return { ...question, eventId, question: text, hears: 'thread' };
}

/** Says something in the thread, as a platform does; tells whether a turn was made of it. */
async function say({ bot }: TestBot, text: string, eventId?: string): Promise<boolean> {
  const meant = await bot.interpret({ ...inThread, text }, place, async () => said(text, eventId));
  if (!meant || meant === 'greeting') return false;
  return (await bot.ask(meant)).status === 'accepted';
}

function turnsIn({ store }: TestBot) {
  return store.turns.list(place.threadId, { limit: 10 });
}

/** US dollars that the channel has paid today. */
async function spentIn({ store }: TestBot): Promise<number> {
  const [usd = 0] = await store.spent(['channel:test:w:c'], 0);
  return usd;
}

const quick: BotChanges = { settings: { ...fileSettings, depth: 'quick' } };

function ofTwo(moderator: Parameters<typeof scriptedModels>[0]['moderator']): ScriptedModels {
  return scriptedModels({
    ...(moderator && { moderator }),
    sages: { ben: [answer('No.')], cleo: [answer('Later.')] },
    chair: [verdict],
  });
}

test('a mention within a sentence is not asked if the moderator says so, and else it is', async () => {
  const models = ofTwo([nobody, benAnswers, away]);
  const council = await startBot(models, quick);
  const aside: Remark = {
    text: 'I asked   about it.',
    before: 'I asked',
    where: 'elsewhere',
    namesCouncil: true,
    isForOthers: false,
  };
  const asked = (eventId: string) =>
    council.bot.interpret(aside, place, async () => said('I asked Council about it.', eventId));
  expect(await asked('event-1')).toBe(undefined);
  // Delivered again, it is not asked either.
  expect(await asked('event-1')).toBe(undefined);
  expect(await asked('event-2')).toMatchObject({ eventId: 'event-2', convened: {} });
  expect(await asked('event-3')).toEqual(said('I asked Council about it.', 'event-3'));
  const [prompt = ''] = models.moderator.requests.map(({ messages }) => messages[0]?.content ?? '');
  expect(prompt).toContain('mentions the council within a sentence');
});

test('what is meant is answered by those whom the same reply has seated, and is paid once', async () => {
  const models = ofTwo([benAnswers]);
  const council = await startBot(models, quick);
  expect(await say(council, inThread.text)).toBe(true);
  await council.idle();
  const [turn] = await turnsIn(council);
  expect(turn?.outcome).toBe('answered');
  expect(models.unsaid()).toBe(0);
  const prompt = models.moderator.requests[0]?.messages[0]?.content;
  for (const part of [
    'decide who should respond',
    bench[0]?.description,
    'predefined_chosen_sages',
  ])
    expect(prompt).toContain(part);
  const kept = turn && (await council.store.turns.read(turn));
  expect(kept?.usage.map(({ stage }) => stage)).toEqual([
    ...['moderator', 'own_answer', 'sage', 'sage', 'verdict'],
  ]);
  const seated = kept?.steps.find(({ kind }) => kind === 'seated');
  expect(seated?.data).toMatchObject({ onRequest: 'ben' });
  const costs = kept?.usage.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0) ?? 0;
  expect(await spentIn(council)).toBeCloseTo(costs, 10);
});

test('what was said around a remark is read when it seats a council, and not to judge it', async () => {
  const models = ofTwo([nobody, benAnswers]);
  const council = await startBot(models, quick);
  const read: string[] = [];
  council.platform.hear = async ({ question: asked }) => {
    read.push(asked);
    const author = { id: 'u7', name: 'Bob' };
    const messages = [{ id: '1', at: 1000, author, text: 'The room is booked.' }];
    return { place: 'test:w:c', of: 'thread', leftOut: 0, messages };
  };
  expect(await say(council, 'can someone book the room', 'event-1')).toBe(false);
  expect(read).toEqual([]);
  expect(await say(council, inThread.text, 'event-2')).toBe(true);
  await council.idle();
  expect(read).toEqual([inThread.text]);
  const told = models.sage({ key: 'ben' }).requests.map(({ messages }) => JSON.stringify(messages));
  expect(told.join()).toContain('The room is booked.');
  expect(JSON.stringify(models.moderator.requests)).not.toContain('The room is booked.');
});

test('what is for no one leaves no trace but its cost', async () => {
  const models = scriptedModels({ moderator: [nobody] });
  const council = await startBot(models, quick);
  expect(await say(council, 'can someone book the room')).toBe(false);
  expect(await turnsIn(council)).toEqual([]);
  expect(council.platform.shown).toEqual([]);
  expect(await council.store.messages.page(place.threadId, { limit: 10 })).toEqual([]);
  expect(await spentIn(council)).toBeGreaterThan(0);
  expect(models.unsaid()).toBe(0);
});

test.each([
  ['fails', [away]],
  ['says nothing that can be read', ['Well…', 'Hm.', 'No idea.']],
  ['names nobody and does not say who should respond', [seating([]), '{}', '{}']],
] as const)(
  'a moderator that %s makes nobody speak, never the fallback',
  async (_what, moderator) => {
    const council = await startBot(scriptedModels({ moderator: [...moderator] }), quick);
    expect(await say(council, inThread.text)).toBe(false);
    expect(await turnsIn(council)).toEqual([]);
  },
);

test('with fixed seats a small call tells, and those seats answer', async () => {
  const models = ofTwo(['{"respond": "nobody"}', '{"respond": "council"}']);
  const settings = { ...fileSettings, depth: 'quick', seats: ['ben', 'cleo'] } as const;
  const council = await startBot(models, { settings });
  expect(await say(council, 'see you at standup', 'event-1')).toBe(false);
  expect(await say(council, inThread.text, 'event-2')).toBe(true);
  await council.idle();
  expect(models.unsaid()).toBe(0);
  const asked = JSON.stringify(models.moderator.requests[0]?.messages);
  expect(asked).not.toContain(bench[0]?.description);
  expect(asked).toContain('see you at standup');
});

test('the moderator is shown what the thread last said', async () => {
  const models = scriptedModels({
    moderator: [nobody],
    sages: { ben: [answer('Heat pumps pay off.')] },
  });
  const council = await startBot(models, quick);
  await council.bot.ask(said('Ben: heat pumps?', 'event-0'));
  await council.idle();
  await say(council, 'and in winter?');
  expect(JSON.stringify(models.moderator.requests[0]?.messages)).toContain('Heat pumps pay off.');
});

test('a remark is judged without a vector, which would be paid for and find nothing', async () => {
  const models = ofTwo([nobody]);
  const embedded: string[] = [];
  const embedder: Embedder = {
    id: 'test:embedding',
    embed: async (texts) => {
      embedded.push(...texts);
      return { vectors: texts.map(() => [1]) };
    },
  };
  const council = await startBot(models, {
    ...quick,
    openModels: () => ({ ...models, compactor: models.chair, embedder }),
  });
  expect(await say(council, inThread.text)).toBe(false);
  expect(models.unsaid()).toBe(3);
  expect(embedded).toEqual([]);
});

test('within an hour the moderator is asked of so many remarks of a thread, and of others’ still', async () => {
  const models = scriptedModels({ moderator: [nobody, nobody, nobody] });
  const council = await startBot(models, {
    limits: {
      maxQuestionChars: 200,
      maxQueuedTurnsPerUser: 5,
      maxQueuedTurnsPerThread: 8,
      overheardPerThreadPerHour: 2,
    },
  });
  for (const eventId of ['event-1', 'event-2', 'event-3'])
    await say(council, 'hm, the bank', eventId);
  expect(models.moderator.requests).toHaveLength(2);
  const elsewhere = { ...place, threadId: 'test:w:c:other' };
  const read = async () => ({ ...said('hm, the bank', 'event-4'), threadId: elsewhere.threadId });
  await council.bot.interpret(inThread, elsewhere, read);
  expect(models.moderator.requests).toHaveLength(3);
});

test('an event that is delivered twice is judged once', async () => {
  const models = scriptedModels({ moderator: [nobody] });
  const council = await startBot(models);
  expect(await Promise.all([say(council, 'hm, the bank'), say(council, 'hm, the bank')])).toEqual([
    ...[false, false],
  ]);
  expect(models.moderator.requests).toHaveLength(1);
});

test('no one is told that a budget is spent who did not ask: the remark is passed over', async () => {
  const models = scriptedModels({});
  const council = await startBot(models, { budgets: { channelUsdPerDay: 1e-12 } });
  expect(await say(council, inThread.text)).toBe(false);
  expect(models.moderator.requests).toEqual([]);
});

test('the remarks of a person who may not ask cost nothing', async () => {
  const models = scriptedModels({});
  const council = await startBot(models, { access: { deny: ['test:@u1'] } });
  expect(await say(council, inThread.text)).toBe(false);
  expect(models.moderator.requests).toEqual([]);
});

test('a process that ends leaves what is being judged, and answers nothing more', async () => {
  const council = await startBot(scriptedModels({ moderator: [hang] }), quick);
  const judged = council.bot.interpret(inThread, place, async () => said(inThread.text));
  await council.shutDown();
  expect(await judged).toBeUndefined();
});

test('what was being judged when a process ended is judged when it is delivered again', async () => {
  const quotas = new InlineQuotas();
  const council = await startBot(scriptedModels({ moderator: [hang] }), { ...quick, quotas });
  const judged = say(council, inThread.text);
  await council.shutDown();
  expect(await judged).toBe(false);
  const restarted = await startBot(ofTwo([benAnswers]), { ...quick, quotas }, council.store);
  expect(await say(restarted, inThread.text)).toBe(true);
});

test('what rules tell is not even read, and asks no model', async () => {
  const council = await startBot(scriptedModels({}));
  const read = async () => {
    throw new Error('It was read.');
  };
  for (const text of ['thanks!', '👍', '@bert look']) {
    expect(await council.bot.interpret({ ...inThread, text }, place, read)).toBeUndefined();
  }
});

test('with a moderator that knows people, all that is meant is heard and nothing else is', async () => {
  const wrong: unknown[] = [];
  for (const [language, { council: meant, nobody: unmeant, people }] of Object.entries(
    conversations,
  )) {
    for (const [lines, isMeant] of [
      [meant, true],
      [[...unmeant, ...people], false],
    ] as const) {
      for (const line of lines) {
        const text = typeof line === 'string' ? line : line.text;
        const remark = { ...inThread, text, isForOthers: text.includes('<@') };
        const moderator = [isMeant ? benAnswers : nobody];
        const { bot } = await startBot(scriptedModels({ moderator }));
        const heard = await bot.interpret(remark, place, async () => said(text));
        if ((heard !== undefined) !== isMeant) wrong.push([language, text]);
      }
    }
  }
  expect(wrong).toEqual([]);
});
