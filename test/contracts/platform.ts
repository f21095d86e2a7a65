/** What every platform must do when it shows a turn; run over each, and over broken ones to prove that it can fail. */

import { expect } from 'vitest';
import type { TurnEvent } from '../../src/council/events.ts';
import type { Seated, TurnRequest } from '../../src/domain/turn.ts';
import type { Platform, PresentedTurn } from '../../src/platforms/platform.ts';
import {
  answered,
  answeredEnd,
  concluded,
  docketed,
  grew,
  marcus as marcusSeat,
  ranked,
  rebutted,
  reviewed,
  seated,
  taleb as talebSeat,
} from '../platforms/terminal/turn-events.ts';

/** A place where people ask and read, and in which a platform posts. */
export interface PlatformWorld extends AsyncDisposable {
  /** The platform as a process has it that has shown nothing so far. */
  open(): Platform;
  /** A question in a thread of its own. */
  ask(question: string): Promise<TurnRequest>;
  /** All that is to be read of a question's thread, oldest first, each message below who says it. */
  transcript(request: TurnRequest): string;
  /** All that the council has said in the channel, and not in a thread of it. */
  channel(): string;
  /** What was said that rings, is obeyed, or calls for someone's attention. */
  alarms(): readonly string[];
  /** Makes the place of a question one in which nothing can be posted any more. */
  shut(request: TurnRequest): void;
}

export interface PlatformCase {
  readonly name: string;
  run(world: PlatformWorld): Promise<void>;
}

const marcus = 'Do your part, and no more.';
const taleb = 'Bet small, and often.';
/** Stands in the verdict alone, and not in what says how the turn ended. */
const verdict = 'Waiting is worse.';
const hostile = '@everyone <!channel> <@U1> <@123> \u0007\u001b[2J done.';

const seating: readonly TurnEvent[] = [
  { type: 'stage_started', stage: 'moderator' },
  seated,
  { type: 'stage_started', stage: 'sages' },
];
const answers = [answered('marcus_aurelius', marcus), answered('nassim_taleb', taleb)];
const outcome: readonly TurnEvent[] = [
  { type: 'stage_started', stage: 'reviews' },
  reviewed('marcus_aurelius'),
  reviewed('nassim_taleb'),
  ranked,
  { type: 'stage_started', stage: 'verdict' },
  concluded(),
  answeredEnd,
];
/** Of a rebuttal: what is in dispute, and what the parties say to it. */
const saidInDispute = 'Whether ruin counts';
const holds = 'holds, because ruin is final';
const concedes = 'concedes, because waiting costs more';
const deepOutcome: readonly TurnEvent[] = [
  { type: 'stage_started', stage: 'docket' },
  docketed(saidInDispute),
  { type: 'stage_started', stage: 'rebuttals' },
  rebutted('nassim_taleb', 'held', 'ruin is final.'),
  rebutted('marcus_aurelius', 'conceded', 'waiting costs more.'),
  { type: 'stage_started', stage: 'second_ballots' },
  ranked,
  { type: 'stage_started', stage: 'verdict' },
  concluded(),
  answeredEnd,
];
/** What a turn goes deeper from: who sat, and that they have answered. */
const recalledTurn: TurnEvent = {
  type: 'recalled',
  seated: { seats: [marcusSeat, talebSeat], how: 'moderated', dropped: [], latencyMs: 1 },
  answers: answers.flatMap((event) => (event.type === 'answered' ? event.answer : [])),
};
const deepTurn = [...seating, ...answers, ...deepOutcome];
/** From its seating to its verdict, with reviews. */
export const wholeTurn = [...seating, ...answers, ...outcome];

async function* told(...events: readonly TurnEvent[]): AsyncGenerator<TurnEvent> {
  yield* events;
}

/** Tells these events, and then nothing more until it is told to go on. */
function heldAfter(before: readonly TurnEvent[], after: readonly TurnEvent[] = []) {
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  async function* events(): AsyncGenerator<TurnEvent> {
    yield* before;
    await isReleased;
    yield* after;
  }
  return { events: events(), release };
}

function turnOf(request: TurnRequest, more: Partial<PresentedTurn> = {}): PresentedTurn {
  return {
    request,
    isResumed: false,
    followUpMode: 'mention',
    wasAsked: async () => false,
    wantsPing: async () => false,
    keepShownAt: async () => undefined,
    assertHeld: async () => undefined,
    assertNotLost: async () => undefined,
    assertAwake: async () => undefined,
    ...more,
  };
}

/** Shows these events as those of a turn, by a process of their own. */
export async function show(
  world: PlatformWorld,
  request: TurnRequest,
  events: readonly TurnEvent[],
): Promise<void> {
  await world.open().present(turnOf(request), told(...events), new AbortController().signal);
}

async function untilSaid(world: PlatformWorld, request: TurnRequest, text: string): Promise<void> {
  await expect.poll(() => world.transcript(request)).toContain(text);
}

/** Each of them once, and in this order. */
function expectInOrder(transcript: string, texts: readonly string[]): void {
  const counts = texts.map((text) => [text, transcript.split(text).length - 1]);
  expect(counts).toEqual(texts.map((text) => [text, 1]));
  const places = texts.map((text) => transcript.indexOf(text));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
}

export const platformCases: readonly PlatformCase[] = [
  {
    name: 'says each answer once, and then the verdict',
    async run(world) {
      const request = await world.ask('Should we rewrite it?');
      await show(world, request, wholeTurn);
      expectInOrder(world.transcript(request), [marcus, verdict]);
      expectInOrder(world.transcript(request), [taleb, verdict]);
    },
  },
  {
    name: 'says once a verdict of a chair that answered alone',
    async run(world) {
      const request = await world.ask('Shorter, please.');
      const seats: Seated = { seats: [], how: 'addressed', dropped: [], latencyMs: 1 };
      await show(world, request, [
        { type: 'stage_started', stage: 'moderator' },
        { type: 'seated', seated: seats },
        { type: 'stage_started', stage: 'verdict' },
        concluded(),
        answeredEnd,
      ]);
      expectInOrder(world.transcript(request), [verdict]);
      expect(world.transcript(request)).not.toMatch(/of 0|undefined|Ask one sage again/);
    },
  },
  {
    name: 'says an answer below the name of its sage',
    async run(world) {
      const request = await world.ask('Should we rewrite it?');
      await show(world, request, [seated, answered('nassim_taleb', taleb), answeredEnd]);
      const transcript = world.transcript(request);
      const heading = transcript.slice(0, transcript.indexOf(taleb)).trimEnd().split('\n').at(-1);
      expect(heading).toContain('Nassim Taleb');
    },
  },
  {
    name: 'shows what a sage had said that was stopped, and says that it was',
    async run(world) {
      const request = await world.ask('Should we rewrite it?');
      const cut = answered('nassim_taleb', 'Bet small and', { status: 'stopped' });
      const end = {
        type: 'ended',
        end: { outcome: 'stopped', explanation: 'On request.' },
      } as const;
      await show(world, request, [seated, cut, end]);
      expect(world.transcript(request)).toMatch(/Bet small and[^a-z]+stopped here/i);
    },
  },
  {
    name: 'says why no one could answer',
    async run(world) {
      const request = await world.ask('Should we rewrite it?');
      const explanation = 'The key was rejected. Give another.';
      const end = { type: 'ended', end: { outcome: 'failed', explanation } } as const;
      await show(world, request, [seated, end]);
      expect(world.transcript(request)).toContain(explanation);
    },
  },
  {
    name: 'tells what is in dispute, then what each party says to it, and then the verdict',
    async run(world) {
      const request = await world.ask('Should we rewrite it?');
      await show(world, request, deepTurn);
      expectInOrder(world.transcript(request), [saidInDispute, holds, verdict]);
      expectInOrder(world.transcript(request), [saidInDispute, concedes, verdict]);
    },
  },
  {
    name: 'says no answer again that a turn goes deeper from',
    async run(world) {
      const request = await world.ask('Should we rewrite it?');
      await show(world, request, [recalledTurn, ...deepOutcome]);
      const transcript = world.transcript(request);
      expectInOrder(transcript, [saidInDispute, holds, concedes, verdict]);
      expect(transcript).not.toContain(marcus);
      expect(transcript).not.toMatch(/stopped here|was stopped|is waiting/i);
    },
  },
  {
    name: 'never passes a top-ranked answer off as a verdict',
    async run(world) {
      const request = await world.ask('Should we rewrite it?');
      const fallen = concluded({ kind: 'top_answer', notice: 'The chair failed: it was away.' });
      await show(world, request, [...seating, ...answers, fallen, answeredEnd]);
      const transcript = world.transcript(request);
      expect(transcript).toContain('The chair failed: it was away.');
      expect(transcript).toContain('Top-ranked answer, not a verdict');
    },
  },
  {
    name: 'alarms nobody, whatever a model writes',
    async run(world) {
      const request = await world.ask('Should we rewrite it?');
      await show(world, request, [
        ...seating,
        grew('nassim_taleb', `${hostile} and`),
        answered('nassim_taleb', hostile),
        answered('marcus_aurelius', `Error: ${hostile}`, { status: 'failed' }),
        docketed(hostile, { failure: { reason: 'empty', explanation: hostile } }),
        docketed(hostile),
        rebutted('nassim_taleb', 'held', hostile),
        concluded({ verdict: hostile, consensus: [hostile], notice: hostile }),
        { type: 'ended', end: { outcome: 'failed', explanation: hostile } },
      ]);
      expect(world.transcript(request)).toContain('done.');
      expect(world.alarms()).toEqual([]);
    },
  },
  {
    name: 'keeps two threads apart',
    async run(world) {
      const [one, other] = [await world.ask('Rewrite it?'), await world.ask('Sell it?')];
      await Promise.all([
        show(world, one, [seated, answered('nassim_taleb', taleb), concluded(), answeredEnd]),
        show(world, other, [seated, answered('marcus_aurelius', marcus), answeredEnd]),
      ]);
      expect(world.transcript(one)).toContain(taleb);
      expect(world.transcript(one)).not.toContain(marcus);
      expect(world.transcript(other)).toContain(marcus);
      expect(world.transcript(other)).not.toContain(taleb);
      expect(world.transcript(other)).not.toContain(verdict);
    },
  },
  {
    name: 'asks for the first event once what the turn begins with is there',
    async run(world) {
      const request = await world.ask('Should we rewrite it?');
      let seen: string | undefined;
      async function* watched(): AsyncGenerator<TurnEvent> {
        seen = world.transcript(request);
        yield* wholeTurn;
      }
      await world.open().present(turnOf(request), watched(), new AbortController().signal);
      expect(seen).not.toBe('');
    },
  },
  {
    name: 'ends with the reason of its signal, and leaves the rest to be resumed',
    async run(world) {
      const request = await world.ask('Should we rewrite it?');
      const ending = new AbortController();
      const { events, release } = heldAfter([...seating, ...answers.slice(0, 1)], outcome);
      const shown = world.open().present(turnOf(request), events, ending.signal);
      await untilSaid(world, request, marcus);
      const reason = new Error('the process ends');
      ending.abort(reason);
      release();
      await expect(shown).rejects.toBe(reason);
      expect(world.transcript(request)).not.toContain(verdict);
    },
  },
  {
    name: 'goes on with a turn that another process has begun, and says nothing twice',
    async run(world) {
      const request = await world.ask('Should we rewrite it?');
      const ending = new AbortController();
      let place: string | undefined;
      const keepShownAt = async (kept: string) => {
        place = kept;
      };
      const { events, release } = heldAfter([...seating, ...answers, ...deepOutcome.slice(0, 4)]);
      const died = world.open().present(turnOf(request, { keepShownAt }), events, ending.signal);
      await untilSaid(world, request, marcus);
      await untilSaid(world, request, taleb);
      await untilSaid(world, request, holds);
      ending.abort(new Error('the process ends'));
      release();
      await expect(died).rejects.toThrow('the process ends');
      const turn = turnOf(request, { isResumed: true, ...(place === undefined ? {} : { place }) });
      await world.open().present(turn, told(...deepTurn), new AbortController().signal);
      expectInOrder(world.transcript(request), [marcus, verdict]);
      expectInOrder(world.transcript(request), [taleb, saidInDispute, holds, concedes, verdict]);
    },
  },
  {
    name: 'says nothing once the turn is another process’s',
    async run(world) {
      const request = await world.ask('Should we rewrite it?');
      let isOthers = false;
      const assert = async () => {
        if (isOthers) throw new Error('another process has it');
      };
      const turn = turnOf(request, { assertHeld: assert, assertNotLost: assert });
      const { events, release } = heldAfter([...seating, ...answers.slice(0, 1)], outcome);
      const shown = world.open().present(turn, events, new AbortController().signal);
      await untilSaid(world, request, marcus);
      isOthers = true;
      release();
      await shown.catch(() => undefined);
      expect(world.transcript(request)).not.toContain(verdict);
    },
  },
  {
    name: 'says nothing twice of a turn that was told to its end',
    async run(world) {
      const request = await world.ask('Should we rewrite it?');
      await show(world, request, wholeTurn);
      const before = world.transcript(request);
      const turn = turnOf(request, { isResumed: true, isAlreadyShown: true });
      await world.open().present(turn, told(...wholeTurn), new AbortController().signal);
      expect(world.transcript(request)).toBe(before);
    },
  },
  {
    name: 'hears a turn out that can’t be shown any more',
    async run(world) {
      const request = await world.ask('Should we rewrite it?');
      let hasEnded = false;
      const { events, release } = heldAfter([...seating, ...answers.slice(0, 1)], outcome);
      async function* watched(): AsyncGenerator<TurnEvent> {
        yield* events;
        hasEnded = true;
      }
      const shown = world.open().present(turnOf(request), watched(), new AbortController().signal);
      await untilSaid(world, request, marcus);
      world.shut(request);
      release();
      await shown;
      expect(hasEnded).toBe(true);
    },
  },
  {
    name: 'empties what shows a question that was taken back',
    async run(world) {
      const request = await world.ask('Should we sell the orchids?');
      const { events, release } = heldAfter(seating, [answeredEnd]);
      const shown = world.open().present(turnOf(request), events, new AbortController().signal);
      await expect.poll(() => world.transcript(request)).not.toBe('');
      release();
      await shown;
      await world.open().retract({ request });
      expect(world.transcript(request)).not.toContain('orchids');
    },
  },
];
