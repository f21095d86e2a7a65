import { describe, expect, onTestFinished, test } from 'vitest';
import { answer } from '../council/scripted-council.ts';
import {
  answerStream,
  done,
  finish,
  startRawModelServer,
  text,
} from '../fakes/raw-model-server.ts';
import { type OpenCouncil, openCouncil } from './open-council.ts';

const council = { fallbackSage: 'ada' };
const manyOpen = { maxQueuedTurnsPerUser: 100, maxQueuedTurnsPerThread: 100 };

/** Ada is asked, by someone and in a thread of their own. */
function askAda({ application }: OpenCouncil, number: number, workspace = 'w') {
  return application.bot.ask({
    threadId: `test:${workspace}:c:${number}`,
    eventId: `event-${number}`,
    question: 'Ada Sage: why?',
    author: { id: 'u1', name: 'Uma' },
    askedAt: number,
  });
}

/** A server that speaks as OpenRouter does: no list has its model, and it states what a call has cost. */
async function startStatingServer(usd: number) {
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120, cost: usd };
  const reply = answerStream(text(answer('Because.')), finish(), { choices: [], usage }, done);
  const server = await startRawModelServer(reply);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const provider = { baseUrl: server.baseUrl, structuredOutput: 'prompt' };
  return {
    server,
    settings: {
      council,
      models: { default: 'stating:house-model', providers: { stating: provider } },
      limits: manyOpen,
      budgets: { userUsdPerDay: 0.01 },
    },
  };
}

describe('a budget of a cent a day, of a model that no list has', () => {
  test('stops the questions once what the server states has spent it, in every workspace', async () => {
    const { server, settings } = await startStatingServer(0.006);
    await using opened = await openCouncil(settings, {});
    const taken: string[] = [];
    for (let number = 0; number < 20; number += 1) {
      const asked = await askAda(opened, number, `w${number}`);
      taken.push(asked.status === 'refused' ? asked.reason : asked.status);
      await opened.application.queue.idle();
    }
    expect(taken.filter((one) => one === 'accepted')).toHaveLength(1);
    expect(taken[1]).toMatch(
      /^Your budget of \$0\.0100 a day has \$0\.0040 left, .* up to \$0\.0060\./,
    );
    expect(server.requests).toHaveLength(1);
  });

  test('stops twenty questions at once, and everything after them', async () => {
    const { server, settings } = await startStatingServer(3);
    await using opened = await openCouncil(
      { ...settings, council: { ...council, seats: ['ada', 'ben'], depth: 'quick' } },
      {},
    );
    const { application } = opened;
    const burst = Array.from({ length: 20 }, (_, number) =>
      application.bot.ask({
        threadId: `test:w:c:${number}`,
        eventId: `event-${number}`,
        question: 'Why?',
        author: { id: 'u1', name: 'Uma' },
        askedAt: number,
      }),
    );
    const taken = (await Promise.all(burst)).filter(({ status }) => status === 'accepted');
    await application.queue.idle();
    // Two sages and the chair twice count with a tenth of a cent each while nothing is known.
    expect(taken).toHaveLength(2);
    const calls = server.requests.length;
    expect(await askAda(opened, 99)).toMatchObject({
      reason: expect.stringContaining('Your budget of $0.0100 a day is spent.'),
    });
    expect(server.requests).toHaveLength(calls);
  });
});

test('with a key of OpenAI alone, a limit of a hundredth of a cent refuses by the listed price', async () => {
  const limited = { council, budgets: { totalUsdPerDay: 0.0001 } };
  await using opened = await openCouncil(limited, { OPENAI_API_KEY: 'sk-never-sent-anywhere' });
  expect(await askAda(opened, 1)).toMatchObject({
    status: 'refused',
    reason: expect.stringMatching(/^This bot's budget of \$0\.0001 a day has \$0\.0001 left/),
  });
});
