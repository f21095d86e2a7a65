import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { CouncilModels } from '../../src/council/council.ts';
import type { Log } from '../../src/domain/log.ts';
import type { ChatModel } from '../../src/models/chat-model.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import {
  answer,
  type Script,
  scriptedModels,
  seating,
  verdict,
  wholeScript,
} from '../council/scripted-council.ts';
import { question, startBot } from './bot-fixture.ts';
import { command, textOf } from './commanding.ts';
import { forget } from './forgetting.ts';

const thought = 'Hmm, Gedankenblitz.';

/** The model, thinking aloud before each of its replies. */
function thinking(model: ChatModel, reasoning: string): ChatModel {
  return {
    id: model.id,
    complete: async (request) => ({ ...(await model.complete(request)), reasoning }),
    async *stream(request) {
      yield { type: 'reasoning', text: reasoning };
      for await (const chunk of model.stream(request)) {
        if (chunk.type === 'finished') yield { ...chunk, reply: { ...chunk.reply, reasoning } };
        else yield chunk;
      }
    },
  };
}

function allThinking(models: CouncilModels, reasoning = thought): CouncilModels {
  return {
    moderator: thinking(models.moderator, reasoning),
    sage: (sage) => thinking(models.sage(sage), reasoning),
    reviewer: (sage) => thinking(models.reviewer(sage), reasoning),
    chair: thinking(models.chair, reasoning),
  };
}

const twice: Script = {
  ...wholeScript,
  moderator: [...(wholeScript.moderator ?? []), seating(['ben'])],
  sages: { ...wholeScript.sages, ben: [answer('Ben says no.'), answer('Still no.')] },
  chair: [verdict, verdict],
};

test('what models think is kept for the receipt alone, and goes with its turn', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'council-reasoning-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'council.db');
  const store = openSqliteStore({ path });
  onTestFinished(() => store.close());
  const bytes = () =>
    Buffer.concat([path, `${path}-wal`].map((file) => readFileSync(file))).toString('latin1');
  const lines: unknown[] = [];
  const tell = (...line: readonly unknown[]) => lines.push(line);
  const log: Log = { info: tell, warn: tell, error: tell, child: () => log };
  const models = scriptedModels(twice);
  const { bot, idle } = await startBot(allThinking(models), { log }, store);
  await bot.ask(question);
  await bot.ask({ ...question, eventId: 'event-2' });
  await idle();
  expect(models.unsaid()).toBe(0);

  const [first] = await store.turns
    .list(question.threadId, { limit: 2 })
    .then((all) => all.toReversed());
  const told = textOf(await command(bot, 'receipt', { show: 'reasoning', turn: first?.turnId }));
  for (const heading of [
    'What the moderator thought',
    'What Ada Sage thought"',
    'What Dan Sage thought while reviewing',
    'What the chair thought',
  ]) {
    expect(told).toContain(heading);
  }
  expect(told.split(thought)).toHaveLength(1 + 10);

  expect(textOf(await command(bot, 'receipt', { turn: first?.turnId }))).not.toContain(thought);
  const exported = textOf(await command(bot, 'export', { format: 'markdown' }));
  expect(exported).toContain('Ben says no.');
  expect(exported).not.toContain(thought);
  expect(JSON.stringify(lines)).not.toContain(thought);
  const asked = [models.moderator, models.chair, models.sage({ key: 'ben' })].flatMap(
    ({ requests }) => requests.map(({ messages }) => JSON.stringify(messages)),
  );
  expect(asked.some((prompt) => prompt.includes('Ben says no.'))).toBe(true);
  expect(asked.filter((prompt) => prompt.includes(thought))).toEqual([]);

  expect(bytes()).toContain(thought);
  await forget(store, { kind: 'thread', threadId: question.threadId });
  expect(bytes()).not.toContain('Gedankenblitz');
});

test('of what a model thinks at length, the beginning is kept', async () => {
  const models = allThinking(
    scriptedModels({ sages: { ben: [answer('No.')] } }),
    'so '.repeat(9000),
  );
  const { bot, idle, store } = await startBot(models);
  const asked = await bot.ask({ ...question, sages: ['ben'] });
  await idle();
  const turnId = asked.status === 'accepted' ? asked.turnId : '';
  const record = await store.turns.read({ turnId, threadId: question.threadId });
  const { reasoning } = record?.messages.at(-1)?.content ?? {};
  expect(reasoning).toMatch(/^so so .* \[…\]$/);
  expect(String(reasoning).length).toBeLessThanOrEqual(4004);
});

test('a receipt says so where no model told what it thought', async () => {
  const { bot, idle } = await startBot(scriptedModels({ sages: { ben: [answer('No.')] } }));
  await bot.ask({ ...question, sages: ['ben'] });
  await idle();
  expect(textOf(await command(bot, 'receipt', { show: 'reasoning' }))).toContain(
    'No model shared its reasoning',
  );
});
