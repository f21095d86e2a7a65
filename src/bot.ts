/** Conducts: takes in questions and commands, and runs the turns that the queue hands over. */

import { randomUUID } from 'node:crypto';
import type { Command, Place, Reply } from '../commands/command.ts';
import type { CommandContext } from '../commands/context.ts';
import { runCommand } from '../commands/run-command.ts';
import { BudgetGuard, type Budgets } from './bot/budget.ts';
import { fieldsOf } from './bot/change-settings.ts';
import { type Channel, readChannel } from './bot/channels.ts';
import { commandContext } from './bot/command-context.ts';
import { complaintAbout, complaintAboutSages, type QuestionLimits } from './bot/complaints.ts';
import { Openings } from './bot/openings.ts';
import { QuestionRate, rateScope } from './bot/question-rate.ts';
import { readQuestions, recentScope, withQuestion } from './bot/recent-questions.ts';
import { withNamedRights } from './bot/rights.ts';
import { TurnRun, type TurnRunOptions } from './bot/turn-run.ts';
import { turnVerbs } from './bot/turn-verbs.ts';
import { isOfChannel, storedEventId, turnAskedBy } from './bot/turns-of-place.ts';
import { addressedSage } from './council/addressing.ts';
import type { TurnRequest } from './council/council.ts';
import { estimateTurnUsd, type PriceOf } from './council/estimate.ts';
import type { TurnEvent } from './council/events.ts';
import { readPastTurn } from './council/past-turn.ts';
import type {
  Asked,
  AskedTurn,
  Ingress,
  Invocation,
  Overview,
  PlaceSettings,
  Platform,
} from './platforms/platform.ts';
import type { Coordination } from './queue/coordination.ts';
import type { QueuedTurn } from './queue/queue.ts';
import type { StoredSettings } from './store/store.ts';

/** `gateway`: takes in what people ask. `worker`: runs their turns. `all`: both. */
export type Role = 'all' | 'gateway' | 'worker';

export interface BotOptions
  extends TurnRunOptions,
    Pick<Coordination, 'queue' | 'quotas' | 'stops'> {
  readonly role: Role;
  readonly platforms: readonly Platform[];
  readonly commands: readonly Command<CommandContext>[];
  readonly priceOf: PriceOf;
  /** Of a person and of a workspace; that of a channel is among its settings. */
  readonly budgets: Omit<Budgets, 'channelUsdPerDay'>;
  readonly limits: QuestionLimits;
}

export class Bot implements Ingress {
  readonly #options: BotOptions;
  readonly #budget: BudgetGuard;
  readonly #rate: QuestionRate;
  readonly #openings: Openings;

  constructor(options: BotOptions) {
    this.#options = options;
    this.#budget = new BudgetGuard(options.store, options.quotas, options.now);
    this.#rate = new QuestionRate(options.store.settings, options.now);
    this.#openings = new Openings(options.quotas, options.limits);
  }

  /** Opens the platforms, and takes up what was left unfinished; each as far as it is this one's role. */
  async start(): Promise<void> {
    const { queue, platforms, role } = this.#options;
    if (role !== 'worker') for (const platform of platforms) await platform.start(this);
    if (role === 'gateway') return;
    await queue.start(
      (turn, shutdown) => this.#run(turn, shutdown),
      (turn) => this.#tellPutAside(turn),
    );
  }

  /** Takes in nothing more, gives running turns `graceMs` to end, and leaves the rest to be resumed. */
  async stopAll(graceMs: number): Promise<void> {
    const { queue, platforms } = this.#options;
    for (const platform of platforms) await platform.stop();
    await queue.stop(graceMs);
  }

  async ask(asked: Omit<TurnRequest, 'turnId'>): Promise<Asked> {
    const request = { ...asked, question: asked.question.trim(), turnId: randomUUID() };
    const complaint =
      complaintAbout(request, this.#options.limits) ?? (await this.#openings.take(request));
    if (complaint) return { status: 'refused', reason: complaint };
    try {
      const asked = await this.#admit(request);
      if (asked.status === 'refused' || !asked.isNew) await this.#openings.release(request.turnId);
      return asked;
    } catch (error) {
      await this.#openings.release(request.turnId);
      throw error;
    }
  }

  /** Holds a question against what its channel is set to. */
  async #admit(asked: TurnRequest): Promise<Asked> {
    const { threadId, turnId, author } = asked;
    const scopes = [rateScope(threadId, author.id), recentScope(workspaceOf(threadId), author.id)];
    const { channel, beside } = await readChannel(this.#options, threadId, scopes);
    const [rateKept = {}, recentKept = {}] = beside;
    const [rate = '', recent = ''] = scopes;
    const addressed = asked.sages
      ? undefined
      : addressedSage(asked.question, channel.council.bench);
    const request = addressed ? { ...asked, sages: [addressed.key] } : asked;
    const complaint = complaintAboutSages(request.sages, channel.council.bench);
    if (complaint) return { status: 'refused', reason: complaint };
    const { questionsPerUserPerHour, channelUsdPerDay } = channel.settings;
    const counted = this.#rate.count(rate, rateKept, turnId, questionsPerUserPerHour);
    if ('refusal' in counted) return { status: 'refused', reason: counted.refusal };
    let isTaken = false;
    try {
      const estimatedUsd = this.#estimate(request, channel);
      const asker = { turnId, threadId, userId: author.id };
      const refusal = await this.#budget.reserve(asker, estimatedUsd, {
        ...this.#options.budgets,
        ...(channelUsdPerDay === 'unlimited' ? {} : { channelUsdPerDay }),
      });
      if (refusal) return { status: 'refused', reason: refusal };
      const begun = await this.#begin(request, () =>
        Promise.all([counted.keep(), this.#remember(request, recent, recentKept)]),
      );
      isTaken = begun.isNew;
      return begun;
    } finally {
      if (!isTaken) counted.release();
    }
  }

  /** @param keep - Stores what else is to be known of a new question. */
  async #begin(
    request: TurnRequest,
    keep: () => Promise<unknown>,
  ): Promise<Extract<Asked, { status: 'accepted' }>> {
    const { store, queue, now } = this.#options;
    const { threadId, turnId } = request;
    const turnsBefore = await queue.waiting(threadId);
    const begun = await store.turns.begin({
      turnId,
      threadId,
      eventId: storedEventId(threadId, request.eventId),
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
    if (begun.isNew) await keep();
    // Also for a known event: the process that claimed it may have died before it was queued.
    const isOpen = begun.isNew ? this.#openings.keep(turnId) : undefined;
    await Promise.all([isOpen, queue.add({ turnId: begun.turnId, threadId })]);
    return { status: 'accepted', ...begun, turnsBefore };
  }

  /** Keeps which questions a person asked last. */
  async #remember(request: TurnRequest, scope: string, kept: StoredSettings): Promise<void> {
    const { store, now } = this.#options;
    const changes = withQuestion(kept, request.turnId, request.threadId);
    await store.settings.write(scope, changes, { setBy: 'recent', setAt: now() });
  }

  #estimate(request: TurnRequest, { council, settings }: Channel): number {
    const { openModels, priceOf } = this.#options;
    return estimateTurnUsd(
      council,
      openModels(() => undefined, { chair: settings.chairModel }),
      priceOf,
      {
        questionChars: request.question.length,
        depth: request.depth ?? council.depth,
        sages: request.sages,
      },
    );
  }

  async settings(place: Place): Promise<PlaceSettings> {
    const { channel } = await readChannel(this.#options, place.threadId);
    return { bench: channel.council.bench, followUpMode: channel.settings.followUpMode };
  }

  async overview(
    workspace: Pick<Place, 'platform' | 'workspace'>,
    personId: string,
  ): Promise<Overview> {
    const { council, store } = this.#options;
    // Of a channel that there is not, so that nothing but the defaults holds in it.
    const nowhere = `${workspace.platform}:${workspace.workspace}::`;
    const scope = recentScope(workspace, personId);
    const { channel, beside } = await readChannel(this.#options, nowhere, [scope]);
    return {
      bench: channel.council.bench,
      defaults: fieldsOf('server', channel, council),
      recent: await readQuestions(beside[0] ?? {}, store.turns),
    };
  }

  async command(invocation: Invocation): Promise<Reply> {
    const { commands, store, now, log } = this.#options;
    const { place } = invocation;
    return runCommand(
      commands,
      invocation,
      async () => {
        const { channel } = await readChannel(this.#options, place.threadId);
        const person = withNamedRights(invocation.person, channel);
        const verbs = turnVerbs({ place, person, bot: this, turns: store.turns, now });
        return commandContext({ place, person, channel }, commands, this.#options, verbs);
      },
      (error) => log.error({ error, command: invocation.command }, 'command failed'),
    );
  }

  async stop(turnId: string, place?: Place): Promise<boolean> {
    const record = await this.#options.store.turns.read(turnId);
    if (!record || record.status === 'ended') return false;
    if (place && !isOfChannel(record.threadId, place)) return false;
    await this.#options.stops.request(turnId);
    return true;
  }

  async turnOf(eventId: string, place: Place): Promise<AskedTurn | undefined> {
    const record = await turnAskedBy(this.#options.store.turns, eventId, place);
    return record && { turnId: record.turnId, hasEnded: record.status === 'ended' };
  }

  async #run(queued: QueuedTurn, shutdown: AbortSignal): Promise<void> {
    const { platforms, stops } = this.#options;
    const platform = platforms.find(({ name }) => queued.threadId.startsWith(`${name}:`));
    if (!platform) throw new NotConnectedError(queued.threadId);
    const run = new TurnRun(queued, platform, this.#options);
    const endWatch = await stops.watch(queued.turnId, () => run.stop());
    try {
      const left = await run.run(shutdown);
      if (left === 'ended') await this.#openings.release(queued.turnId);
    } finally {
      endWatch();
    }
  }

  async #tellPutAside({ turnId, threadId }: QueuedTurn): Promise<void> {
    const { platforms, store } = this.#options;
    const platform = platforms.find(({ name }) => threadId.startsWith(`${name}:`));
    const record = platform && (await store.turns.read(turnId));
    if (!record) return;
    const { channel } = await readChannel(this.#options, threadId);
    const { followUpMode } = channel.settings;
    const { request } = readPastTurn(record);
    await platform.present({ request, isResumed: true, followUpMode }, putAside());
  }
}

/** The end of a turn that could not be run, as people are shown it. */
async function* putAside(): AsyncGenerator<TurnEvent> {
  const explanation =
    'The council could not take this question up, though it was tried again and again. Whoever runs it has been told.';
  yield { type: 'ended', end: { outcome: 'failed', explanation } };
}

/** A turn of a platform that this process has no token for. */
class NotConnectedError extends Error {
  override readonly name = 'NotConnectedError';
  constructor(threadId: string) {
    const [platform = ''] = threadId.split(':');
    super(
      `This process has no access to “${platform}”. Give every worker what the gateways have in their environment.`,
    );
  }
}

/** The platform and workspace of a thread id. */
function workspaceOf(threadId: string): Pick<Place, 'platform' | 'workspace'> {
  const [platform = '', workspace = ''] = threadId.split(':');
  return { platform, workspace };
}
