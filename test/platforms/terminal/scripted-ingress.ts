import type { Reply } from '../../../commands/command.ts';
import type { TurnEvent } from '../../../src/council/events.ts';
import type { TurnRequest } from '../../../src/domain/turn.ts';
import type {
  Asked,
  Ingress,
  Interpretation,
  Invocation,
  OpenThread,
  Platform,
} from '../../../src/platforms/platform.ts';

/** Events that a test hands out one by one. */
export function eventsByHand() {
  let wake = Promise.withResolvers<void>();
  const queued: TurnEvent[] = [];
  let isOver = false;
  async function* events(): AsyncGenerator<TurnEvent> {
    for (;;) {
      yield* queued.splice(0);
      if (isOver) return;
      await wake.promise;
      wake = Promise.withResolvers();
    }
  }
  return {
    events: events(),
    tell(...more: readonly TurnEvent[]) {
      queued.push(...more);
      isOver = more.some(({ type }) => type === 'ended');
      wake.resolve();
    },
  };
}

type Answer = (
  request: TurnRequest,
) => AsyncIterable<TurnEvent> | Exclude<Asked, { status: 'accepted' }>;

/** What a bot does for a terminal: a question becomes a turn that is presented, as `answer` tells. */
export class ScriptedIngress implements Ingress {
  readonly asked: TurnRequest[] = [];
  readonly invocations: Invocation[] = [];
  readonly stopped: string[] = [];
  readonly faults: unknown[] = [];
  platform: Platform | undefined;
  onStop: () => void = () => {};
  readonly #answer: Answer;

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  async ask(question: Omit<TurnRequest, 'turnId'>, open?: OpenThread): Promise<Asked> {
    if (open) throw new Error('Nothing has to be opened for a question in a terminal.');
    const request = { ...question, turnId: `turn-${this.asked.length + 1}` };
    const answer = this.#answer(request);
    if ('status' in answer) return answer;
    this.asked.push(request);
    const turn = {
      request,
      isResumed: false,
      followUpMode: 'mention' as const,
      wasAsked: async () => false,
      wantsPing: async () => false,
      keepShownAt: async () => undefined,
      assertHeld: async () => undefined,
      assertNotLost: async () => undefined,
      assertAwake: async () => undefined,
    };
    const { signal } = new AbortController();
    this.platform?.present(turn, answer, signal).catch((fault: unknown) => {
      this.faults.push(fault);
    });
    return { status: 'accepted', turnId: request.turnId, isNew: true, turnsBefore: 0 };
  }

  async abandoned() {
    return [];
  }

  async sideTask() {
    return { status: 'refused', reason: 'No program asks here.' } as const;
  }

  async addressableSages() {
    return [];
  }

  async interpret(...[, , read]: Parameters<Ingress['interpret']>): Promise<Interpretation> {
    return read();
  }

  async settings() {
    return { bench: [], followUpMode: 'asked' as const };
  }

  async deleted() {}

  async left() {}

  async memberships() {}

  async mayGreet() {
    return false;
  }

  async mayReply() {
    return true;
  }

  async suggest() {
    return [];
  }

  async overview() {
    return { bench: [], defaults: [], recent: [] };
  }

  async turnOf() {
    return undefined;
  }

  async command(invocation: Invocation): Promise<Reply> {
    this.invocations.push(invocation);
    const text = `This is ${invocation.command}.`;
    return { isPrivate: true, blocks: [{ type: 'text' as const, text }] };
  }

  async stop(turnId: string): Promise<boolean> {
    this.stopped.push(turnId);
    this.onStop();
    return true;
  }
}
