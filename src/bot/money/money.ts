/**
 * One way to pay for everything that calls a model: questions, drafts, minutes, summaries, embeddings.
 * What it may cost is reserved first, or refused; what it has cost is taken out of the payer's purses.
 */

import { randomUUID } from 'node:crypto';
import type { CouncilModels } from '../../council/council.ts';
import type { PlannedCalls } from '../../council/estimate.ts';
import type { Log } from '../../domain/log.ts';
import { workspaceOf } from '../../domain/thread-id.ts';
import { type CallUsage, type ChatModel, noModel, noModelWords } from '../../models/chat-model.ts';
import type { Embedder } from '../../models/embeddings.ts';
import type { PriceOf } from '../../models/prices.ts';
import type { Quotas } from '../../queue/coordination.ts';
import type { ChannelSettings } from '../../settings/channel-settings.ts';
import type { Store } from '../../store/store.ts';
import {
  type AccessLists,
  assertLetIn,
  type Bill,
  type Budgets,
  type Claim,
  moneyClaims,
  NoModelError,
  type Payer,
  pursesOf,
  RefusedError,
  startOfUtcDay,
} from './budgets.ts';
import {
  CallCosts,
  type HourlySlot,
  Reservation,
  takeHourlySlot,
  timesAsked,
} from './reservation.ts';

/** The models that a channel has chosen, and the workspace that they work for. */
export interface ModelChoice
  extends Pick<ChannelSettings, 'moderatorModel' | 'sageModel' | 'reviewerModel' | 'chairModel'> {
  /** `platform:workspace`: providers serve workspaces in turn. */
  readonly workspace: string;
}

/**
 * Opens the models of one turn; each call is reported to `count`.
 *
 * @param mayCall - Called right before each call; throws when it must not be paid for any more.
 */
export type OpenModels = (
  count: (call: CallUsage) => void,
  choice: ModelChoice,
  mayCall?: () => Promise<void>,
) => TurnModels;

export interface TurnModels extends CouncilModels {
  /** Shortens long histories. */
  readonly compactor: ChatModel;
  /** Absent: memories are searched by words alone. */
  readonly embedder?: Embedder;
}

export interface MoneyOptions {
  readonly store: Pick<Store, 'spend' | 'spent' | 'settings'>;
  /** Hold what running work may still cost, over all processes. */
  readonly quotas: Quotas;
  readonly openModels: OpenModels;
  readonly priceOf: PriceOf;
  readonly budgets: Budgets;
  readonly access: AccessLists;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Work that is about to be done. */
export interface Estimate extends Pick<Bill, 'what'> {
  readonly calls: (models: TurnModels) => readonly PlannedCalls[];
}

/** What a payer has used up so far. */
export interface Standing {
  /** US dollars spent today, by the name of the purse. */
  readonly spentUsd: ReadonlyMap<string, number>;
  /** See {@link timesAsked}. */
  readonly asked: readonly number[];
}

interface Holding {
  /** The name it is held under, e.g. a turn's id. */
  readonly holder: string;
  /** What is needed besides money. */
  readonly claims?: readonly Claim[];
  /** How long a death holds it, in milliseconds. Default: as long as storing a question may take. */
  readonly leaseMs?: number;
}

/** For work that ends with its process. */
const workLeaseMs = 600_000;
/** For a question that is not stored yet. */
const questionLeaseMs = 60_000;

export class Money {
  readonly #options: MoneyOptions;
  readonly #costs: CallCosts;

  constructor(options: MoneyOptions) {
    this.#options = options;
    this.#costs = new CallCosts(options.priceOf);
  }

  /**
   * Does work at a payer's expense. Model calls count even if the work fails; without any call, nothing is
   * used up.
   *
   * @param work - Given the models, and the list of their calls so far.
   * @throws {RefusedError} before any call when a budget or a limit is not enough, or the operator does not
   *   pay for this person; {@link NoModelError} when none is set up; and what the work throws.
   */
  async pay<Result>(
    payer: Payer,
    estimate: Estimate,
    work: (models: TurnModels, calls: readonly CallUsage[]) => Promise<Result>,
  ): Promise<Result> {
    const { log } = this.#options;
    const holding = { holder: randomUUID(), leaseMs: workLeaseMs };
    await using held = await this.reserve(payer, estimate, await this.standing(payer), holding);
    const calls: CallUsage[] = [];
    const models = this.models(payer, (call) => {
      log.info({ threadId: payer.threadId, call }, `a model was called for ${estimate.what}`);
      held.count(call);
      calls.push(call);
    });
    return await work(models, calls);
  }

  /**
   * Reserves what work may cost, with the other claims that it needs. Disposing of it gives everything back.
   *
   * @param standing - What the payer has used up, as {@link standing} has just read it.
   * @throws {RefusedError} as {@link pay}.
   */
  async reserve(
    payer: Payer,
    { what, calls }: Estimate,
    { spentUsd, asked }: Standing,
    { holder, claims = [], leaseMs = questionLeaseMs }: Holding,
  ): Promise<Reservation> {
    const { quotas, access } = this.#options;
    assertLetIn(access, payer);
    const now = this.#options.now();
    const planned = calls(this.models(payer, () => undefined));
    if (planned.some(({ model }) => model === noModel)) throw new NoModelError(noModelWords);
    const usd = this.#costs.ofPlan(planned);
    const { channelUsdPerDay } = payer.settings;
    const budgets = {
      ...this.#options.budgets,
      ...(channelUsdPerDay !== 'unlimited' && { channelUsdPerDay }),
    };
    const wanted = [...claims, ...moneyClaims(payer, budgets, spentUsd, { usd, what, now })];
    const slot = await takeHourlySlot(payer, { ...this.#options, asked, holder, now, what });
    await using unheld = new AsyncDisposableStack();
    const reservation = unheld.use(this.#open(payer, holder, slot));
    const taken = wanted.length === 0 ? undefined : await quotas.take(holder, wanted, leaseMs);
    if (taken?.status === 'refused') {
      const short = wanted.find(({ name }) => name === taken.name);
      throw new RefusedError(short?.refusal(taken.held) ?? '', short?.retryAfterMs);
    }
    unheld.move();
    return reservation;
  }

  /** The reservation of a running turn, after {@link Reservation.handOver}. */
  resume(payer: Payer, turnId: string): Reservation {
    return this.#open(payer, turnId);
  }

  /** Gives back everything that a turn holds, when it has ended or never began. */
  release(turnId: string): Promise<void> {
    return this.#options.quotas.release(turnId);
  }

  /**
   * Opens the models that work for a payer, see {@link OpenModels}.
   */
  models(
    { threadId, settings }: Payer,
    count: (call: CallUsage) => void,
    mayCall?: () => Promise<void>,
  ): TurnModels {
    const choice = { ...settings, workspace: workspaceOf(threadId) };
    return this.#options.openModels(count, choice, mayCall);
  }

  /** Reads what a payer has used up, in one round trip. */
  async standing(payer: Omit<Payer, 'settings'>): Promise<Standing> {
    const { store, now } = this.#options;
    const names = pursesOf(payer).map(({ name }) => name);
    const [spent, asked] = await Promise.all([
      store.spent(names, startOfUtcDay(now())),
      timesAsked(payer, store.settings, now),
    ]);
    return { spentUsd: new Map(names.map((name, at) => [name, spent[at] ?? 0])), asked };
  }

  #open(payer: Payer, holder: string, slot?: HourlySlot): Reservation {
    return new Reservation({
      ...this.#options,
      ...{ holder, costs: this.#costs, purses: pursesOf(payer).map(({ name }) => name) },
      ...(slot && { slot }),
    });
  }
}
