/**
 * Pays for everything that calls a model: questions, drafts, minutes, summaries, embeddings. Reserves the
 * estimated cost first, or refuses, and then charges the actual cost to the payer's purses.
 */

import { randomUUID } from 'node:crypto';
import type { CouncilModels } from '../../council/council.ts';
import type { PlannedCalls } from '../../council/estimate.ts';
import type { Log } from '../../domain/log.ts';
import { workspaceOf } from '../../domain/thread-id.ts';
import { momentMark } from '../../domain/words.ts';
import { type CallUsage, type ChatModel, noModel, noModelWords } from '../../models/chat-model.ts';
import type { Embedder } from '../../models/embeddings.ts';
import type { PriceOf } from '../../models/prices.ts';
import type { Quotas } from '../../queue/coordination.ts';
import type { ChannelSettings } from '../../settings/channel-settings.ts';
import type { Store } from '../../store/store.ts';
import {
  AccessDeniedError,
  type AccessLists,
  type Bill,
  type Budgets,
  type Claim,
  moneyClaims,
  NoModelError,
  type Payer,
  pursesOf,
  RefusedError,
  type Spent,
  startOfUtcDay,
  whyDenied,
} from './budgets.ts';
import { type Amount, CallCosts, hourlySlot, Reservation, turnMs } from './reservation.ts';

/** The models that a channel has chosen, and its workspace. */
export interface ModelChoice
  extends Pick<ChannelSettings, 'moderatorModel' | 'sageModel' | 'reviewerModel' | 'chairModel'> {
  /** `platform:workspace`, because providers serve workspaces round robin. */
  readonly workspace: string;
}

/**
 * Opens the models of one turn and reports each call to `count`.
 *
 * @param mayCall - Called right before each call. Throws if the call must not be paid for any more.
 */
export type OpenModels = (
  count: (call: CallUsage) => void,
  choice: ModelChoice,
  mayCall?: () => Promise<void>,
) => TurnModels;

export interface TurnModels extends CouncilModels {
  /** Shortens long histories. */
  readonly compactor: ChatModel;
  /** Absent: memories are only searched by words. */
  readonly embedder?: Embedder;
}

export interface MoneyOptions {
  readonly store: Pick<Store, 'spend' | 'spent' | 'settings'>;
  /** Reserve the estimated cost of running work, over all processes. */
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
export interface Estimate extends Pick<Bill, 'what' | 'advice'> {
  readonly calls: (models: TurnModels) => readonly PlannedCalls[];
}

const unread: Spent = { usd: new Map(), readAt: Infinity };

/** The lease of work that ends with its process. */
const workLeaseMs = 600_000;
/** The lease of a question that is not stored yet. */
const questionLeaseMs = 60_000;

export class Money {
  readonly #options: MoneyOptions;
  readonly #costs: CallCosts;
  readonly #uncounted = new Set<Amount>();

  constructor(options: MoneyOptions) {
    this.#options = options;
    this.#costs = new CallCosts(options.priceOf);
  }

  /**
   * Does work at a payer's expense. Model calls are charged even if the work fails. Without a call, nothing
   * is used up.
   *
   * @param work - Gets the models and the growing list of their calls.
   * @throws {RefusedError} before any call, if a budget or limit does not allow it or the operator does not pay
   *   for this person; {@link NoModelError} if no model is set up; and what the work throws.
   */
  async pay<Result>(
    payer: Payer,
    estimate: Estimate,
    work: (models: TurnModels, calls: readonly CallUsage[]) => Promise<Result>,
  ): Promise<Result> {
    const { log } = this.#options;
    const terms = { holder: randomUUID(), leaseMs: workLeaseMs };
    await using held = await this.reserve(payer, estimate, undefined, terms);
    const calls: CallUsage[] = [];
    const models = this.models(payer, (call) => {
      // Its remarks may quote a server. They are logged once, without that.
      const logged = { ...call, remarks: undefined };
      log.info(
        { threadId: payer.threadId, call: logged },
        `a model was called for ${estimate.what}`,
      );
      held.count(call);
      calls.push(call);
    });
    return await work(models, calls);
  }

  /**
   * Reserves the estimated cost of work, with other claims. Disposing of the reservation releases everything.
   *
   * @param before - As just read by {@link spentBy}. Absent: it is read if there is a budget.
   * @param terms.holder - Identifies the reservation, e.g. a turn's id.
   * @param terms.claims - Claims besides money.
   * @param terms.leaseMs - How long it outlives a process that dies. Default: enough to store a question.
   * @param terms.isHandedOver - The holder is a stored turn, which keeps what it has if this is refused.
   * @throws {RefusedError} as {@link pay} does.
   */
  async reserve(
    payer: Payer,
    estimate: Estimate,
    before: Spent | undefined,
    terms: { holder: string; claims?: readonly Claim[]; leaseMs?: number; isHandedOver?: boolean },
  ): Promise<Reservation> {
    const { quotas, access, log } = this.#options;
    const { holder, claims = [], leaseMs = questionLeaseMs, isHandedOver = false } = terms;
    const denied = whyDenied(access, payer);
    if (denied !== undefined) throw new AccessDeniedError(denied);
    const bill = this.#billFor(payer, estimate);
    const reservation = this.#open(payer, holder, isHandedOver);
    await reservation.slot?.take(bill);
    await using rollback = new AsyncDisposableStack();
    rollback.use(reservation);
    const take = async (spent?: Spent): Promise<void> => {
      const limited = moneyClaims(payer, this.#budgetsOf(payer), spent ?? unread, bill);
      if (limited.length > 0 && !spent) return take(await this.spentBy(payer));
      const wanted = [...claims, ...limited];
      if (wanted.length === 0) return;
      const taken = await quotas.take(holder, wanted, leaseMs);
      if (taken.status === 'refused') {
        const exceeded = wanted.find(({ name }) => name === taken.name);
        const reason = exceeded?.refusal(taken.held) ?? '';
        const { threadId, userId, isOpenOutside = false } = payer;
        log.info({ threadId, userId, reason }, `${bill.what} exceeds a budget or limit`);
        const { what, advice = '', now } = bill;
        const again = momentMark(now + (exceeded?.retryAfterMs ?? 0));
        const neutral =
          `A daily budget does not cover ${what}. Ask again at ${again}. ${advice}`.trim();
        // What is left of a person's own budget is for them alone, and no budget is for other companies.
        const isUnnamed = (isOpenOutside ? /^usd:/ : /^usd:user:/).test(taken.name);
        const isOutsider = isOpenOutside && payer.userWorkspace !== undefined;
        const told = isOutsider && isUnnamed ? neutral : reason;
        throw new RefusedError(told, exceeded?.retryAfterMs, isUnnamed ? neutral : undefined);
      }
      // What work has cost is stored before its reservation is released, possibly after the spending was read.
      if (taken.status === 'outdated') await take(await this.spentBy(payer));
    };
    await take(before);
    rollback.move();
    return reservation;
  }

  /**
   * Reserves again what a stored turn held in a process that has ended. Ignores the limits, because the turn was
   * accepted.
   *
   * @throws {NoModelError} if no model is set up.
   */
  async reserveAgain(
    payer: Payer,
    estimate: Estimate,
    { holder, claims }: { readonly holder: string; readonly claims: readonly Claim[] },
  ): Promise<void> {
    const bill = this.#billFor(payer, estimate);
    const wanted = [...claims, ...moneyClaims(payer, this.#budgetsOf(payer), unread, bill)];
    const unlimited = wanted.map((claim) => ({ ...claim, limit: Infinity }));
    await this.#options.quotas.take(holder, unlimited, turnMs);
  }

  /** Opens the reservation of a running turn after {@link Reservation.handOver}. */
  resume(payer: Payer, turnId: string): Reservation {
    return this.#open(payer, turnId, true);
  }

  /** Releases everything that a turn has reserved, once it has ended or failed to start. */
  release(turnId: string): Promise<void> {
    return this.#options.quotas.release(turnId);
  }

  /** Opens the models for a payer, see {@link OpenModels}. */
  models(
    { threadId, settings }: Payer,
    count: (call: CallUsage) => void,
    mayCall?: () => Promise<void>,
  ): TurnModels {
    const choice = { ...settings, workspace: workspaceOf(threadId) };
    return this.#options.openModels(count, choice, mayCall);
  }

  /** Reads what a payer has spent. */
  async spentBy(payer: Omit<Payer, 'settings'>): Promise<Spent> {
    const { store, now } = this.#options;
    const names = pursesOf(payer).map(({ name }) => name);
    const readAt = performance.now();
    const spent = await store.spent(names, startOfUtcDay(now()));
    return { usd: new Map(names.map((name, at) => [name, spent[at] ?? 0])), readAt };
  }

  /** @throws {NoModelError} */
  #billFor(payer: Payer, { what, advice, calls }: Estimate): Bill {
    const planned = calls(this.models(payer, () => undefined));
    if (planned.some(({ model }) => model === noModel)) throw new NoModelError(noModelWords);
    return { usd: this.#costs.ofPlan(planned), what, advice, now: this.#options.now() };
  }

  #budgetsOf({ settings: { channelUsdPerDay } }: Payer): Budgets {
    const { budgets } = this.#options;
    return channelUsdPerDay === 'unlimited' ? budgets : { ...budgets, channelUsdPerDay };
  }

  #open(payer: Payer, holder: string, isHandedOver: boolean): Reservation {
    return new Reservation({
      ...this.#options,
      holder,
      isHandedOver,
      costs: this.#costs,
      slot: hourlySlot(payer, holder, this.#options),
      purses: pursesOf(payer).map(({ name }) => name),
      uncounted: this.#uncounted,
    });
  }
}
