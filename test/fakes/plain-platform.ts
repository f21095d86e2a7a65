/** The smallest platform that keeps the contract: threads in memory, one message for each part of a turn. */

import type { TurnEvent } from '../../src/council/events.ts';
import { silentLog } from '../../src/domain/log.ts';
import type { TurnRequest } from '../../src/domain/turn.ts';
import { verdictTitle } from '../../src/domain/turn-words.ts';
import { offersBelow } from '../../src/platforms/chat/asking/turn-actions.ts';
import type { Canvas, Canvases, Part, ShownTurn } from '../../src/platforms/chat/show/canvas.ts';
import { personasOf } from '../../src/platforms/chat/show/personas.ts';
import { progressSentence } from '../../src/platforms/chat/show/progress-words.ts';
import { presentTurn } from '../../src/platforms/chat/show/turn-presenter.ts';
import { roundMarkdown, verdictMarkdown } from '../../src/platforms/chat/show/verdict-words.ts';
import type { ConcludedTurn, Platform, PresentedTurn } from '../../src/platforms/platform.ts';

/** What is in a thread, by the part of a turn that it says. */
export type PlainThread = Map<string, { readonly by: string; readonly text: string }>;
/** By their ids. */
export type PlainThreads = Map<string, PlainThread>;

/** Where verdicts are posted for everybody, among the threads. */
export const channelOf = 'plain:here:room';

/** What a broken one does otherwise. */
export interface PlainHabits {
  /** A message with the same key is there once. */
  readonly keyOf: (part: Part) => string;
  readonly inert: (text: string) => string;
  readonly say: (part: Part, post: () => Promise<void>) => Promise<void>;
  readonly threadIdOf: (request: TurnRequest) => string;
  readonly assertHeld: (turn: PresentedTurn) => Promise<void>;
}

const habits: PlainHabits = {
  keyOf: (part) =>
    part.kind === 'answer'
      ? `answer ${part.sage}`
      : part.kind === 'round'
        ? `round ${part.index}`
        : part.kind,
  inert: (text) => text.replaceAll('@', '(at) '),
  say: (_, post) => post(),
  threadIdOf: ({ threadId }) => threadId,
  assertHeld: (turn) => turn.assertHeld(),
};

export class PlainPlatform implements Canvases, Platform {
  readonly name = 'plain';
  readonly platform = 'Plain';
  readonly outageWaitsMs = [];
  readonly #threads: PlainThreads;
  readonly #habits: PlainHabits;

  constructor(threads: PlainThreads, broken: Partial<PlainHabits> = {}) {
    this.#threads = threads;
    this.#habits = { ...habits, ...broken };
  }

  present(turn: PresentedTurn, events: AsyncIterable<TurnEvent>, shutdown: AbortSignal) {
    return presentTurn(turn, events, shutdown, this, silentLog);
  }

  async open(turn: PresentedTurn, first: ShownTurn): Promise<Canvas> {
    const { keyOf, inert, say, threadIdOf, assertHeld } = this.#habits;
    const post = async (key: string, by: string, text: string) => {
      await assertHeld(turn);
      const thread = this.#threads.get(threadIdOf(turn.request));
      if (!thread) throw new Error('The thread is gone.');
      if (key === 'progress' || !thread.has(key)) thread.set(key, { by, text: inert(text) });
    };
    const progress = ({ question = '', progress: now }: ShownTurn) => {
      const sentence = progressSentence(now, ({ sage }) => sage.name);
      return post('progress', 'Council', `${question}\n${sentence} ${now.end?.explanation ?? ''}`);
    };
    await progress(first);
    return {
      grows: false,
      notes: [],
      grow: () => undefined,
      finish: progress,
      progress: (shown) => void progress(shown).catch(() => undefined),
      say: async (part) => {
        const [by, text] = saidIn(part);
        if (text !== '') await say(part, () => post(keyOf(part), by, text));
      },
    };
  }

  async retract({ request, posted }: Pick<ConcludedTurn, 'request' | 'posted'>) {
    this.#threads.get(request.threadId)?.delete('progress');
    await this.unpost({ request, ...(posted && { posted }) });
  }

  async redraw(turn: ConcludedTurn): Promise<void> {
    const thread = this.#threads.get(turn.request.threadId);
    if (!thread?.has('verdict')) return;
    const [by, text] = saidIn({ kind: 'verdict', verdict: turn.verdict });
    thread.set('verdict', { by, text: [text, ...offersBelow(turn, true).notes].join('\n') });
  }

  async post({ request, verdict }: ConcludedTurn): Promise<string | undefined> {
    const channel = this.#threads.get(channelOf) ?? new Map();
    this.#threads.set(channelOf, channel);
    channel.set(request.turnId, { by: 'Council', text: verdict.verdict });
    return request.turnId;
  }

  async unpost({ request }: Pick<ConcludedTurn, 'request' | 'posted'>): Promise<void> {
    this.#threads.get(channelOf)?.delete(request.turnId);
  }

  personasOf: Canvases['personasOf'] = (seats) =>
    personasOf(seats, { fit: (name) => name, inert: (name) => name });
  tellAsker = async () => undefined;
  backOff = async () => undefined;
  linkTo = () => undefined;
  hear = async () => undefined;
  openFile = async () => ({ status: 'withheld', why: 'there are no files here' }) as const;
  isIn = async () => true;
  async start() {}
  async stop() {}
}

function saidIn(part: Part): readonly [by: string, text: string] {
  if (part.kind === 'answer') {
    const { persona, text = '', cutShort, isOnlyEnding } = part;
    return [persona.name, isOnlyEnding ? '' : `${text}\n${cutShort?.words ?? ''}`.trim()];
  }
  const plain = (text: string) => text;
  if (part.kind === 'round')
    return ['Council', roundMarkdown(part.said, { nameOf: plain, inert: plain })];
  if (part.kind !== 'verdict' || !part.verdict) return ['Council', ''];
  const markdown = verdictMarkdown(part.verdict, { inert: plain, inertBody: plain, nameOf: plain });
  return ['Council', `${verdictTitle(part.verdict)}\n${markdown}`];
}
