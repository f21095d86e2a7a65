/** Conducts: accepts questions and commands, and runs the turns that the queue hands over. */

import { randomUUID } from 'node:crypto';
import type { Place, Reply } from '../../commands/command.ts';
import type { Sage, TurnRequest } from '../council/council.ts';
import type {
  Asked,
  AskedAnew,
  AskedTurn,
  Deletion,
  Ingress,
  Invocation,
  OpenThread,
  Overview,
  PlaceSettings,
  Remark,
  Whereabouts,
} from '../platforms/platform.ts';
import { CoordinationError } from '../queue/coordination.ts';
import { StoreError } from '../store/store.ts';
import { Admission, type AdmissionOptions, type Admitted } from './asking/admission.ts';
import { complaintAbout } from './asking/complaints.ts';
import { KeptQuestions, type KeptQuestionsOptions } from './asking/kept-questions.ts';
import { newTurnOf } from './asking/new-turn.ts';
import { judgedAlone, judgedIn } from './asking/remarks.ts';
import { type CommandParts, overviewFor, runCommand } from './commands/commands.ts';
import { forgetDeleted, noteDeparture, noteWhereabouts } from './leaving/leaving.ts';
import { NotLetInError, RefusedError } from './money/claims.ts';
import type { BotParts } from './parts.ts';
import { readChannel } from './places/channels.ts';
import { guestsOf, turnAskedBy, turnIn } from './places/turns-of-place.ts';
import { Running } from './running/running.ts';
import { storeTrouble } from './running/store-trouble.ts';

/** `gateway`: takes in what people ask. `worker`: runs their turns. `all`: both. */
export type Role = 'all' | 'gateway' | 'worker';

export interface BotOptions extends CommandParts, AdmissionOptions, KeptQuestionsOptions {
  readonly store: BotParts['store'];
  readonly log: BotParts['log'];
  readonly role: Role;
}

/** Runs a step of the start, e.g. within a deadline. */
type StartOf = (name: string, work: () => Promise<void>) => Promise<void>;

type Refused = Extract<Asked, { status: 'refused' }>;

export class Bot implements Ingress {
  readonly #options: BotOptions;
  readonly #admission: Admission;
  readonly #kept: KeptQuestions;
  readonly #running: Running;

  constructor(options: BotOptions) {
    this.#options = options;
    this.#admission = new Admission(options);
    this.#kept = new KeptQuestions(options);
    this.#running = new Running(options);
  }

  /**
   * Opens the platforms and resumes unfinished turns, as far as its role asks for it.
   *
   * @param starting - Runs each step: one named after each platform, then `turns`.
   */
  async start(starting: StartOf = (_name, work) => work()): Promise<void> {
    const { queue, platforms, role } = this.#options;
    for (const platform of role === 'worker' ? [] : platforms) {
      await starting(platform.name, () => platform.start(this));
    }
    if (role === 'gateway') return;
    await starting('turns', () =>
      queue.start(
        (turn, shutdown) => this.#running.run(turn, shutdown),
        (turn) => this.#running.putAside(turn),
      ),
    );
  }

  /** Stops accepting questions, waits up to `graceMs` for running turns to finish, and leaves the rest for the next start. */
  async stopAll(graceMs: number): Promise<void> {
    const { queue, platforms } = this.#options;
    for (const platform of platforms) await platform.stop();
    await queue.stop(graceMs);
    this.#running.stop();
  }

  async ask(asked: Omit<TurnRequest, 'turnId'>): Promise<Asked> {
    const request = { ...asked, turnId: randomUUID() };
    return this.#orWhyNot(asked.threadId, () =>
      this.#take(request, (admitted) => this.#begin(admitted.request, admitted)),
    );
  }

  async askAnew(asked: Parameters<Ingress['askAnew']>[0], open: OpenThread): Promise<AskedAnew> {
    let isShown = false;
    const isAbandoned = asked.turnId !== undefined;
    const begin = async (admitted: Admitted): Promise<AskedAnew> => {
      const { request } = admitted;
      if (!isAbandoned && !(await this.#kept.claim(request))) return { status: 'dropped' };
      await this.#kept.keep(request);
      isShown = true;
      const opened = await open(request);
      if (opened === undefined) return { status: 'dropped' };
      const { threadId, eventId = request.eventId } = opened;
      return this.#begin({ ...request, threadId, eventId }, admitted);
    };
    const result = await this.#orWhyNot(
      asked.threadId,
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

  /** A store or a queue that fails keeps questions out for a while; that is no fault of the program. */
  async #orWhyNot<Result>(
    threadId: string,
    take: () => Promise<Result>,
    mayRefuse = () => true,
  ): Promise<Result | Refused> {
    try {
      return await take();
    } catch (error) {
      if (error instanceof RefusedError) {
        const isStranger = error instanceof NotLetInError;
        return { status: 'refused', reason: error.message, ...(isStranger && { isStranger }) };
      }
      const isAway = error instanceof StoreError || error instanceof CoordinationError;
      if (!isAway || !mayRefuse()) throw error;
      this.#options.log.error({ error }, 'a question was refused: the store failed');
      const what = 'The council can’t take questions at the moment';
      return { status: 'refused', reason: storeTrouble(error, { what, its: 'memory', threadId }) };
    }
  }

  async #take<Result extends AskedAnew>(
    asked: TurnRequest,
    begin: (admitted: Admitted) => Promise<Result>,
  ): Promise<Result | Refused> {
    const request = { ...asked, question: asked.question.trim() };
    const complaint = complaintAbout(request, this.#options.limits);
    if (complaint) return { status: 'refused', reason: complaint };
    const admitted = await this.#admission.admit(request);
    await using _held = admitted.held;
    return await begin(admitted);
  }

  async #begin(
    request: TurnRequest,
    { held, keep }: Pick<Admitted, 'held' | 'keep'>,
  ): Promise<Extract<Asked, { status: 'accepted' }>> {
    const { store, queue, log, now } = this.#options;
    const { threadId, turnId } = request;
    const turnsBefore = await queue.waiting(threadId);
    const begun = await store.turns.begin(newTurnOf(request, now()));
    // Also for a known event: the process that claimed it may have died before it was queued.
    const isOpen = begun.isNew ? held.handOver() : undefined;
    const queued = queue.add({ turnId: begun.turnId, threadId }, begun.earlier);
    await Promise.all([isOpen, queued]).catch((error: unknown) => {
      if (!(error instanceof CoordinationError)) throw error;
      // It is stored: the workers look for such turns every while.
      log.warn({ turnId: begun.turnId, error }, 'a turn waits to be queued: the queue failed');
    });
    if (begun.isNew) {
      await keep(request).catch((error: unknown) => {
        log.warn({ turnId, error }, 'a question is not among the latest: the store failed');
      });
    }
    return { status: 'accepted', turnId: begun.turnId, isNew: begun.isNew, turnsBefore };
  }

  async settings(place: Place): Promise<PlaceSettings> {
    const { channel } = await readChannel(this.#options, place.threadId);
    return { bench: channel.council.bench, followUpMode: channel.settings.followUpMode };
  }

  async isMeant(remark: Remark, place: Place): Promise<boolean> {
    const judged = judgedAlone(remark);
    if (judged !== undefined) return judged;
    const [{ followUpMode: mode }, bench] = await Promise.all([
      this.settings(place),
      this.speakers(place),
    ]);
    return judgedIn(remark, { mode, bench });
  }

  overview(workspace: Pick<Place, 'platform' | 'workspace'>, personId: string): Promise<Overview> {
    return overviewFor(workspace, personId, this.#options);
  }

  async speakers(place: Place): Promise<readonly Sage[]> {
    const [{ channel }, guests] = await Promise.all([
      readChannel(this.#options, place.threadId),
      guestsOf(this.#options.store.turns, place.threadId),
    ]);
    return [...channel.council.bench, ...guests];
  }

  async command(invocation: Invocation): Promise<Reply> {
    await this.#running.settled(invocation.place.threadId);
    return runCommand(invocation, this.#options, this);
  }

  async stop(turnId: string, place: Pick<Place, 'threadId'>): Promise<boolean> {
    const record = await turnIn(this.#options.store.turns, place, turnId);
    if (!record || record.status === 'ended') return false;
    await this.#options.stops.request(turnId);
    return true;
  }

  async turnOf(eventId: string, place: Place): Promise<AskedTurn | undefined> {
    const record = await turnAskedBy(this.#options.store.turns, eventId, place);
    return record && { turnId: record.turnId, hasEnded: record.status === 'ended' };
  }

  deleted(deletion: Deletion): Promise<void> {
    return forgetDeleted(deletion, this.#options);
  }

  left(workspace: Pick<Place, 'platform' | 'workspace'>): Promise<void> {
    return noteDeparture(workspace, this.#options);
  }

  whereabouts(told: Whereabouts): Promise<void> {
    return noteWhereabouts(told, this.#options);
  }
}
