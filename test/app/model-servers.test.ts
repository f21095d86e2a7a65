/**
 * Servers behind the OpenAI API behave in many ways. Whatever one does, `doctor` and a question see the
 * same, and people are told what it is.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { councilOf, modelNames } from '../../src/app/models.ts';
import { createModelOpener, providersOf } from '../../src/app/open-models.ts';
import { createLog } from '../../src/app/operator/log.ts';
import { checksOf } from '../../src/app/tasks/doctor.ts';
import type { TurnEvent } from '../../src/council/events.ts';
import { runTurn } from '../../src/council/turn.ts';
import { type Log, silentLog } from '../../src/domain/log.ts';
import { type Config, loadConfig } from '../../src/settings/load.ts';
import {
  answerJson,
  type RawAnswer,
  type RawRequest,
  startRawModelServer,
} from '../fakes/raw-model-server.ts';
import { noPrices } from '../models/ask.ts';
import { answering, failing, passing, refusing, says, sends, useful } from './server-behaviours.ts';

interface World {
  readonly config: Config;
  readonly requests: readonly RawRequest[];
}

/** @param models - Further lines under `models`, and after them of the file. */
async function openWorld(
  answer: RawAnswer,
  models = '',
  environment = withKey,
  provider = '',
): Promise<World> {
  const server = await startRawModelServer(answer);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const folder = mkdtempSync(join(tmpdir(), 'council-servers-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const directory = join(folder, 'config');
  mkdirSync(join(directory, 'sages'), { recursive: true });
  const yaml = [
    'council: { seats: [ada, ben], fallbackSage: ada, depth: standard }',
    'models:',
    '  default: raw:big-model',
    `  providers: { raw: { baseUrl: "${server.baseUrl}", apiKeyEnv: RAW_KEY${provider} } }`,
    models,
  ];
  writeFileSync(join(directory, 'council.yaml'), yaml.join('\n'));
  for (const name of ['Ada', 'Ben']) {
    const file = join(directory, 'sages', `${name.toLowerCase()}.md`);
    writeFileSync(file, `---\nname: ${name}\ndescription: Sees things.\n---\n`);
  }
  return { config: loadConfig({ directory, environment }), requests: server.requests };
}

const withKey: Readonly<Record<string, string>> = { RAW_KEY: 'sk-raw-0123456789' };

interface Seen {
  readonly isWell: boolean;
  readonly words: string;
}

async function doctorSees({ config }: World, signal: AbortSignal): Promise<Seen> {
  const names = modelNames(config, config.settings.models.default);
  const chosenModels = { names, providers: providersOf(config), unchecked: undefined };
  const check = checksOf(config, chosenModels, 'all').find(({ name }) => name.startsWith('model '));
  try {
    return { isWell: true, words: String(await check?.run(signal)) };
  } catch (fault) {
    return { isWell: false, words: fault instanceof Error ? fault.message : String(fault) };
  }
}

/** Asks questions one after the other, as the same process does. */
function questionsSee(
  world: World,
  times = 1,
  log = silentLog,
): Promise<Seen & { answer: string }> {
  return questionsOf(world, log)(times);
}

function questionsOf({ config }: World, log: Log) {
  const remarks = new Set<string>();
  const names = modelNames(config, config.settings.models.default);
  const chosenModels = { names, providers: providersOf(config), prices: noPrices };
  const open = createModelOpener(config, chosenModels, () => undefined, log);
  const models = open(
    (call) => {
      for (const remark of call.remarks ?? []) remarks.add(remark);
    },
    {
      moderatorModel: config.settings.models.default,
      sageModel: 'own',
      reviewerModel: 'own',
      chairModel: config.settings.models.default,
      workspace: 'test:w',
    },
  );
  const request = {
    turnId: 't',
    threadId: 'test:w:c:t',
    eventId: 'e',
    question: 'Should we?',
    author: { id: 'u', name: 'Uma' },
    askedAt: 0,
  };
  return async (times: number): Promise<Seen & { answer: string }> => {
    let events: TurnEvent[] = [];
    for (let time = 0; time < times; time += 1) {
      events = [];
      const context = { forSages: [], forChair: [], forReviewers: [] };
      const { signal } = new AbortController();
      for await (const event of runTurn({
        request,
        council: councilOf(config),
        context,
        models,
        signal,
      })) {
        events.push(event);
      }
    }
    const end = events.flatMap((event) => (event.type === 'ended' ? [event.end] : []))[0];
    const given = events.flatMap((event) => (event.type === 'answered' ? [event.answer] : []))[0];
    return {
      isWell: end?.outcome === 'answered',
      words: [end?.explanation, ...remarks].join(' '),
      answer: given?.answer ?? '',
    };
  };
}

const everlasting = () => new AbortController().signal;

describe('doctor and a question agree on', () => {
  test.each(Object.entries(failing))('%s', async (_behaviour, row) => {
    const world = await openWorld(row.answer, row.more, row.environment);
    for (const seen of [await doctorSees(world, everlasting()), await questionsSee(world)]) {
      expect(seen).toMatchObject({ isWell: false, words: expect.stringMatching(row.says) });
    }
  });

  test.each(Object.entries(passing))('%s, which passes', async (_behaviour, answer) => {
    const world = await openWorld(answer());
    expect(await doctorSees(world, everlasting())).toEqual({ isWell: true, words: 'answers' });
    expect(await questionsSee(await openWorld(answer()))).toMatchObject({ isWell: true });
  });

  test.each(Object.entries(answering))('%s', async (_behaviour, answer) => {
    const world = await openWorld(answer);
    expect(await doctorSees(world, everlasting())).toEqual({ isWell: true, words: 'answers' });
    expect(await questionsSee(world)).toMatchObject({ isWell: true, answer: 'Yes, in parts.' });
  });

  test.each(Object.entries(refusing))(
    'a refusal of %s, which is learned once',
    async (_behaviour, { found, row }) => {
      const open = () => openWorld(row.answer, row.more, withKey, row.provider);
      const seen = await doctorSees(await open(), everlasting());
      expect(seen).toMatchObject({ isWell: true, words: expect.stringMatching(row.says) });
      const world = await open();
      const asked = await questionsSee(world, 2);
      expect(asked).toMatchObject({ isWell: true, words: expect.stringMatching(row.says) });
      expect(asked.answer).toBe('Yes, in parts.');
      // Both sages of the first question began before either could learn.
      const minded = world.requests.flatMap(({ body }, index) => (found(body) ? [index] : []));
      expect(minded.every((index) => index < world.requests.length / 2)).toBe(true);
    },
  );
});

describe('a question', () => {
  test('is answered in every part by the model that stands in, and doctor names the one that fails', async () => {
    const answer: RawAnswer = (request, response) =>
      (request.body.model === 'big-model'
        ? answerJson({ error: { message: 'pay first' } }, 402)
        : says(useful))(request, response);
    const world = await openWorld(answer, '  fallback: [raw:small-model]');
    expect(await questionsSee(world)).toMatchObject({
      isWell: true,
      answer: 'Yes, in parts.',
      words: expect.stringMatching(/stands in for raw:big-model: raw wants to be paid/),
    });
    const asked = world.requests.map(({ body }) => body.model);
    // Two sages, two reviews and the chair twice, each of both; nothing is tried twice.
    expect(asked.filter((model) => model === 'big-model')).toHaveLength(6);
    expect(asked.filter((model) => model === 'small-model')).toHaveLength(6);
    expect((await doctorSees(world, everlasting())).words).toMatch(/raw wants to be paid/);
  });

  test('of which a refusal quotes a part is not in the log when another model stands in', async () => {
    const answer: RawAnswer = (request, response) =>
      (request.body.model === 'big-model'
        ? answerJson({ error: { message: 'Invalid content: Should we?' } }, 400)
        : says(useful))(request, response);
    const world = await openWorld(answer, '  fallback: [raw:small-model]');
    const lines: string[] = [];
    const destination = { write: (line: string) => lines.push(line) };
    const log = createLog({ level: 'debug', destination, secrets: [] });
    const seen = await questionsSee(world, 1, log);
    expect(seen.words).toMatch(/stands in for raw:big-model: .* It said: Invalid content: Should/);
    const written = lines.join('');
    expect(written.match(/raw:small-model stands in for raw:big-model: /g)).toHaveLength(1);
    expect(written).not.toContain('Should we');
  });

  test.each<[string, RawAnswer, RegExp]>([
    ['rejects the key', answerJson({ error: { message: 'Should we?' } }, 401), /Check RAW_KEY/],
    ['never answers', () => {}, /It did not answer in time/],
  ])(
    'has the log say once that a model %s, and once that it answers again',
    async (_how, fails, why) => {
      let isDown = true;
      const world = await openWorld(
        (request, response) => (isDown ? fails : says(useful))(request, response),
        '\nlimits: { sageTimeoutMs: 1000 }',
      );
      const lines: string[] = [];
      const destination = { write: (line: string) => lines.push(line) };
      const log = createLog({ level: 'debug', destination, secrets: [] });
      const ask = questionsOf(world, log);
      await ask(2);
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([
        { level: 'warn', msg: 'raw:big-model fails' },
      ]);
      expect(lines.join('')).toMatch(why);
      expect(lines.join('')).not.toMatch(/Should we|Ada/);
      isDown = false;
      await ask(1);
      expect(lines.slice(1).map((line) => JSON.parse(line))).toMatchObject([
        { level: 'info', msg: 'raw:big-model answers again' },
      ]);
    },
  );

  test('never has a temperature in it', async () => {
    const world = await openWorld(says(useful), '  reasoningEffort: low');
    await questionsSee(world);
    expect(world.requests.some(({ body }) => 'temperature' in body)).toBe(false);
  });

  test.each([
    ['prose', says('Yes, in parts.'), 'Yes, in parts.'],
    ['numbers for strings', says('{"answer": 1, "summary": 2}'), '{"answer": 1, "summary": 2}'],
    ['broken JSON', says('{"answer": "Yes, in parts.", "summ'), 'Yes, in parts.'],
  ])('is answered by %s, and doctor says that the form is not kept', async (_how, answer, text) => {
    const world = await openWorld(answer);
    const told = 'answers; does not follow the requested format';
    expect(await doctorSees(world, everlasting())).toEqual({ isWell: true, words: told });
    expect(await questionsSee(world)).toMatchObject({ isWell: true, answer: text });
  });

  test('marks an answer that was cut at the output limit', async () => {
    const world = await openWorld(says('{"answer": "Yes, in pa', 'length'));
    expect((await questionsSee(world)).answer).toBe(
      'Yes, in pa\n\n[cut off here: the model reached its output limit]',
    );
  });

  test('and doctor name the model that answers in place of the one that was asked', async () => {
    const world = await openWorld(
      sends({ content: useful }, 'stop', { model: 'vendor/small-model' }),
    );
    const says = expect.stringContaining('is answered for by vendor/small-model');
    expect(await doctorSees(world, everlasting())).toMatchObject({ isWell: true, words: says });
    expect(await questionsSee(world)).toMatchObject({ isWell: true, words: says });
    const dated = await openWorld(sends({ content: useful }, 'stop', { model: 'big-model-2025' }));
    expect((await doctorSees(dated, everlasting())).words).toBe('answers');
  });

  test.each<[string, RawAnswer]>([
    ['never answers', () => {}],
    [
      'sends a little now and then',
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const drip = setInterval(() => response.write(': still here\n\n'), 20);
        response.once('close', () => clearInterval(drip));
      },
    ],
  ])('ends in time at a server that %s, and so does doctor', async (_how, answer) => {
    const world = await openWorld(answer, '\nlimits: { sageTimeoutMs: 1000 }');
    const failed = await questionsSee(world);
    expect(failed).toMatchObject({ isWell: false, words: expect.stringMatching(/within 1 s/) });
    const deadline = new AbortController();
    const seen = doctorSees(world, deadline.signal);
    await expect.poll(() => world.requests.length).toBe(3);
    deadline.abort(new Error('Nothing came in time.'));
    expect(await seen).toEqual({ isWell: false, words: 'Nothing came in time.' });
    await Promise.all(world.requests.map(({ closed }) => closed));
  });
});
