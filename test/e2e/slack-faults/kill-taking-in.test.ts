import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { type SlackWorld, startSlackWorld } from '../../platforms/slack/slack-world.ts';
import type { Death } from '../discord-faults/mortal-store.ts';
import { begin, connected, goOn, kill, killAtCall, type Left, patienceMs } from './lives.ts';
import { expectAllSaid, isOver, isQuestion, question } from './whole-turn.ts';

vi.setConfig({ testTimeout: 3 * patienceMs });

/** A way to ask without a message of one's own. */
interface Way {
  readonly name: string;
  /** @returns What asks. */
  readonly prepare: (world: SlackWorld) => Promise<() => Promise<unknown>>;
}

const command: Way = {
  name: '/council ask',
  prepare:
    async ({ ada, channel }) =>
    () =>
      ada.commands(channel, `/council ask ${question}`),
};
const shortcut: Way = {
  name: 'the menu of a message',
  prepare: async ({ ada, channel }) => {
    // Of another's message it would first be asked what about it.
    const said = await ada.says(channel, question);
    return () => ada.usesShortcut('ask_council', said);
  },
};

/** Another's message: a modal asks first what the person wants to know about it. */
const another: Way = {
  name: 'the menu of another’s message',
  prepare: async ({ slack, ada, boss, channel }) => {
    const said = await boss.says(channel, 'We ship on Friday.');
    return async () => {
      await ada.usesShortcut('ask_council', said);
      await slack.until(() => ada.modal() !== undefined, 'the modal');
      await ada.submits({ question });
    };
  },
};

function questionsIn({ slack }: SlackWorld) {
  return slack.appMessages().filter(isQuestion);
}

interface Life {
  readonly way: Way;
  readonly death?: Death;
  /** What the first process does not live through. */
  readonly end: (world: SlackWorld, child: ReturnType<typeof begin>) => Promise<unknown>;
  /** Looks at what it has left. */
  readonly between?: (world: SlackWorld) => void;
  /** Looks at what the next one has made of it. */
  readonly after: (world: SlackWorld) => Promise<void>;
}

async function live({ way, death, end, between, after }: Life): Promise<void> {
  const world = await startSlackWorld();
  const folder = await mkdtemp(join(tmpdir(), 'council-kill-'));
  const path = join(folder, 'council.db');
  const first = begin(world.slack, path, death);
  try {
    await connected(first);
    const ask = await way.prepare(world);
    const ended = end(world, first);
    await ask();
    await ended;
    between?.(world);
    await using _next = await goOn(world.slack, path);
    await after(world);
    world.slack.assertNoViolations();
  } finally {
    await kill(first);
    await rm(folder, { recursive: true });
    await world.slack.close();
  }
}

/** The question stands there once, and below it the whole turn. */
async function expectWhole(world: SlackWorld): Promise<void> {
  const threads = () => questionsIn(world).map(({ ts, threadTs }) => threadTs ?? ts);
  const isAnswered = () => threads().some((thread) => isOver(world, thread));
  await world.slack.until(isAnswered, 'the end of the turn', patienceMs);
  const [thread = '', ...more] = threads();
  expect(more).toEqual([]);
  expectAllSaid(world, thread);
}

const kept = {
  write: { verb: 'write', number: 1, when: 'after' },
  beforeBegin: { verb: 'begin', number: 1, when: 'before' },
  begin: { verb: 'begin', number: 1, when: 'after' },
  forgetting: { verb: 'write', number: 2, when: 'before' },
  taking: { verb: 'take', number: 1, when: 'before' },
  taken: { verb: 'take', number: 1, when: 'after' },
} as const satisfies Record<string, Death>;

// The ways differ in their beginning alone.
const deaths = [
  ...Object.values(kept).map((death) => ({ way: command, death })),
  ...[kept.write, kept.beforeBegin, kept.begin].map((death) => ({ way: shortcut, death })),
  // What was heard of another is noted before the question is kept.
  ...[{ ...kept.write, number: 3 }, kept.beforeBegin, kept.begin].map((death) => ({
    way: another,
    death,
  })),
];
const unkept: readonly Death[] = [
  { verb: 'claim', number: 1, when: 'before' },
  { verb: 'claim', number: 1, when: 'after' },
  { verb: 'write', number: 1, when: 'before' },
];
const ways = [command, shortcut, another];
const lefts: readonly Left[] = ['done', 'not done'];

describe('a question that the bot in Slack is killed with,', () => {
  test.concurrent.each(deaths.map((one) => ({ ...one, asked: one.way.name, ...one.death })))(
    'asked by $asked, when $verb $number of the store was reached ($when), is answered once after a restart',
    ({ way, death }) =>
      live({ way, death, end: (_, child) => once(child, 'exit'), after: expectWhole }),
  );

  test.concurrent.each(
    ways.flatMap((way) => lefts.map((left) => ({ way, left, asked: way.name }))),
  )('asked by $asked, with its post $left, is answered once after a restart', ({ way, left }) =>
    live({
      way,
      end: ({ slack }, child) => killAtCall(slack, child, { number: 1, left }),
      between: (world) => expect(questionsIn(world)).toHaveLength(left === 'done' ? 1 : 0),
      after: expectWhole,
    }),
  );

  // The progress, and what is said first; what comes later is as with a mention.
  test.concurrent.each([2, 3])(
    'asked about another’s message, with post %i done, is answered once after a restart',
    (number) =>
      live({
        way: another,
        end: ({ slack }, child) => killAtCall(slack, child, { number, left: 'done' }),
        after: expectWhole,
      }),
  );

  test.concurrent.each(lefts.map((left) => ({ left })))(
    'asked about another’s message, with its modal $left, is answered once when it is asked after a restart',
    ({ left }) =>
      live({
        way: {
          ...another,
          prepare: async ({ ada, boss, channel }) => {
            const said = await boss.says(channel, 'We ship on Friday.');
            return () => ada.usesShortcut('ask_council', said);
          },
        },
        end: ({ slack }, child) =>
          killAtCall(slack, child, { number: 1, left, counted: ['views.open'] }),
        after: async (world) => {
          const { slack, ada, channel } = world;
          if (!ada.modal()) {
            const [said] = slack.messages(channel);
            if (!said) throw new Error('Nothing was said.');
            await ada.usesShortcut('ask_council', said);
            await slack.until(() => ada.modal() !== undefined, 'the modal');
          }
          await ada.submits({ question });
          await expectWhole(world);
        },
      }),
  );

  test.concurrent.each(
    ways.flatMap((way) => unkept.map((death) => ({ way, death, asked: way.name, ...death }))),
  )('asked by $asked, $when $verb $number of the store, was promised to no one', ({ way, death }) =>
    live({
      way,
      death,
      end: (_, child) => once(child, 'exit'),
      after: async (world) => expect(questionsIn(world)).toEqual([]),
    }),
  );
});
