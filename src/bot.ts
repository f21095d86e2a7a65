/** Conducts: takes in questions and commands, and runs the turns that the queue hands over. */

import { randomUUID } from 'node:crypto';
import type { Command, Place, Reply } from '../commands/command.ts';
import type { CommandContext } from '../commands/context.ts';
import { runCommand } from '../commands/run-command.ts';
import { Admission, type AdmissionOptions, type Admitted } from './bot/admission.ts';
import { BudgetGuard } from './bot/budget.ts';
import { readChannel } from './bot/channels.ts';
import { commandContext } from './bot/command-context.ts';
import { complaintAbout, type QuestionLimits } from './bot/complaints.ts';
import { guestsOf } from './bot/guests.ts';
import { KeptQuestions, type KeptQuestionsOptions } from './bot/kept-questions.ts';
import { channelOf, OpenTurns } from './bot/open-turns.ts';
import { TurnRun, type TurnRunOptions } from './bot/turn-run.ts';
import type { Sage, TurnRequest } from './council/council.ts';
import { readPastTurn } from './council/past-turn.ts';
import { receiptOf } from './council/receipt.ts';
import type {
  Asked,
  AskedAnew,
  Ingress,
  Invocation,
  OpenThread,
  PlaceSettings,
  Platform,
} from './platforms/platform.ts';
import type { Queue, QueuedTurn } from './queue/queue.ts';
import { StoreError, type TurnRecord } from './store/store.ts';

export interface BotOptions
  extends TurnRunOptions,
    Omit<AdmissionOptions, 'budget'>,
    KeptQuestionsOptions {
  readonly store: AdmissionOptions['store'];

  readonly queue: Queue;
  readonly platforms: readonly Platform[];
  readonly commands: readonly Command<CommandContext>[];
  readonly limits: QuestionLimits;
}

type Refused = Extract<Asked, { status: 'refused' }>;

const storeFailed =
  'The council can’t take questions at the moment, because its memory can’t be reached. Ask again in a few minutes.';

export class Bot implements Ingress {
  readonly #options: BotOptions;
  readonly #budget: BudgetGuard;
  readonly #admission: Admission;
  readonly #kept: KeptQuestions;
  readonly #open = new OpenTurns();

  constructor(options: BotOptions) {
    this.#options = options;
    this.#budget = new BudgetGuard(options.store, options.now);
    this.#admission = new Admission({ ...options, budget: this.#budget });
    this.#kept = new KeptQuestions(options);
  }

  /** Opens the platforms and takes up what an earlier process left unfinished. */
  async start(): Promise<void> {
    const { queue, platforms } = this.#options;
    for (const platform of platforms) await platform.start(this);
    await queue.start((turn, shutdown) => this.#run(turn, shutdown));
  }

  /** Takes in nothing more, gives running turns `graceMs` to end, and leaves the rest to be resumed. */
  async stopAll(graceMs: number): Promise<void> {
    const { queue, platforms } = this.#options;
    for (const platform of platforms) await platform.stop();
    await queue.stop(graceMs);
  }

  async ask(asked: Omit<TurnRequest, 'turnId'>): Promise<Asked> {
    const request = { ...asked, turnId: randomUUID() };
    return this.#orWhyNot(() =>
      this.#take(request, (admitted) => this.#begin(admitted.request, admitted.keepCount)),
    );
  }

  async askAnew(asked: Parameters<Ingress['askAnew']>[0], open: OpenThread): Promise<AskedAnew> {
    let isShown = false;
    const isAbandoned = asked.turnId !== undefined;
    const begin = async ({ request, keepCount }: Admitted): Promise<AskedAnew> => {
      if (!isAbandoned && !(await this.#kept.claim(request))) return { status: 'dropped' };
      await this.#kept.keep(request);
      isShown = true;
      const threadId = await open(request);
      if (threadId === undefined) return { status: 'dropped' };
      return this.#begin({ ...request, threadId }, keepCount);
    };
    const result = await this.#orWhyNot(
      () => this.#take({ turnId: randomUUID(), ...asked }, begin),
      // Whoever was shown that it is taken is not told the contrary: it goes on at the next start.
      () => !isShown,
    );
    if (isShown || isAbandoned) {
      // What stays kept is taken for known at the next start.
      await this.#kept.forget(asked).catch((error: unknown) => {
        this.#options.log.warn({ error }, 'a question stays kept: the store failed');
      });
    }
    return result;
  }

  abandoned(platform: string): Promise<readonly TurnRequest[]> {
    return this.#kept.abandoned(platform);
  }

  /** A store that fails keeps questions out for a while; that is no fault of the program. */
  async #orWhyNot<Result>(
    take: () => Promise<Result>,
    mayRefuse = () => true,
  ): Promise<Result | Refused> {
    try {
      return await take();
    } catch (error) {
      if (!(error instanceof StoreError) || !mayRefuse()) throw error;
      this.#options.log.error({ error }, 'a question was refused: the store failed');
      return { status: 'refused', reason: storeFailed };
    }
  }

  async #take<Result extends AskedAnew>(
    asked: TurnRequest,
    begin: (admitted: Admitted) => Promise<Result>,
  ): Promise<Result | Refused> {
    const request = { ...asked, question: asked.question.trim() };
    const complaint = complaintAbout(request, this.#open.all, this.#options.limits);
    if (complaint) return { status: 'refused', reason: complaint };
    // Taken before the first wait, so that a burst of questions can't slip past the limits together.
    this.#open.add(request.turnId, { threadId: request.threadId, userId: request.author.id });
    let isNew = false;
    try {
      const admitted = await this.#admission.admit(request);
      if ('refusal' in admitted) return { status: 'refused', reason: admitted.refusal };
      this.#open.update(request.turnId, { release: admitted.release });
      try {
        const result = await begin(admitted);
        isNew = result.status === 'accepted' && result.isNew;
        return result;
      } finally {
        if (!isNew) admitted.uncount();
      }
    } finally {
      if (!isNew) this.#open.close(request.turnId);
    }
  }

  /** @param keepCount - Stores that the question counts. */
  async #begin(
    request: TurnRequest,
    keepCount: () => Promise<void>,
  ): Promise<Extract<Asked, { status: 'accepted' }>> {
    const { store, queue, log, now } = this.#options;
    const { threadId, turnId } = request;
    this.#open.update(turnId, { threadId });
    const turnsBefore = await queue.waiting(threadId);
    const begun = await store.turns.begin({
      turnId,
      threadId,
      // Platforms give ids that are unique in a workspace; the store wants them unique altogether.
      eventId: `${workspaceOf(threadId)}:${request.eventId}`,
      request,
      question: {
        id: `${turnId}:question`,
        threadId,
        turnId,
        role: 'human',
        type: 'user_query',
        status: 'complete',
        author: request.author.name,
        content: { type: 'user_query', text: request.question },
        createdAt: request.askedAt,
      },
      createdAt: now(),
    });
    // Also for a known event: the process that claimed it may have died before it was queued.
    await queue.add({ turnId: begun.turnId, threadId });
    if (begun.isNew) {
      await keepCount().catch((error: unknown) => {
        log.warn({ turnId, error }, 'a question was not counted: the store failed');
      });
    }
    return { status: 'accepted', ...begun, turnsBefore };
  }

  async settings(place: Place): Promise<PlaceSettings> {
    const { channel } = await readChannel(this.#options, place.threadId);
    return { bench: channel.council.bench, followUpMode: channel.settings.followUpMode };
  }

  async speakers(place: Place): Promise<readonly Sage[]> {
    const [{ channel }, guests] = await Promise.all([
      readChannel(this.#options, place.threadId),
      guestsOf(this.#options.store.turns, place.threadId),
    ]);
    return [...channel.council.bench, ...guests];
  }

  async command(invocation: Invocation): Promise<Reply> {
    const { commands, log } = this.#options;
    const { place, person } = invocation;
    return runCommand(
      commands,
      invocation,
      () =>
        commandContext(
          invocation,
          commands,
          { ...this.#options, budget: this.#budget },
          {
            ask: (question, choice) =>
              this.ask({
                threadId: place.threadId,
                eventId: `command:${randomUUID()}`,
                question,
                author: { id: person.id, name: person.name },
                askedAt: this.#options.now(),
                ...choice,
              }),
            receipt: async (turnId) => {
              const record = await this.#record(place, turnId);
              return (
                record &&
                receiptOf(readPastTurn(record), record.outcome ?? record.status, record.usage)
              );
            },
            deliberation: async (turnId) => {
              const record = await this.#record(place, turnId);
              return record && readPastTurn(record);
            },
            stop: async () => this.#open.stopThread(place.threadId, person),
          },
        ),
      (error) => log.error({ error, command: invocation.command }, 'command failed'),
    );
  }

  async stop(turnId: string, place?: Place): Promise<boolean> {
    return this.#open.stop(turnId, place?.threadId);
  }

  async #run(queued: QueuedTurn, shutdown: AbortSignal): Promise<void> {
    const { platforms } = this.#options;
    const platform = platforms.find(({ name }) => queued.threadId.startsWith(`${name}:`));
    if (!platform) {
      this.#options.log.warn({ ...queued }, 'turn left alone: its platform is not connected here');
      return;
    }
    const run = new TurnRun(queued, platform, this.#options);
    this.#open.begin(queued.turnId, queued.threadId, run);
    try {
      await run.run(shutdown, ({ turnId, author }) =>
        this.#open.update(turnId, { userId: author.id }),
      );
    } finally {
      this.#open.close(queued.turnId);
    }
  }

  /** A turn of this channel; without an id, the last one of this thread. */
  async #record(place: Place, turnId: string | undefined): Promise<TurnRecord | undefined> {
    const { turns } = this.#options.store;
    const [last] = turnId ? [] : await turns.list(place.threadId, { limit: 1 });
    const wanted = turnId ?? last?.turnId;
    const record = wanted ? await turns.read(wanted) : undefined;
    // A turn of another channel is as good as unknown here.
    const isOfThisChannel = record && channelOf(record.threadId) === channelOf(place.threadId);
    return isOfThisChannel ? record : undefined;
  }
}

/** The platform and workspace of a thread id. */
function workspaceOf(threadId: string): string {
  return threadId.split(':', 2).join(':');
}
