/** Whether a question may become a turn: what is asked, of whom, how often and at what cost. */

import { addressedSage, addressesSomebody } from '../council/addressing.ts';
import type { TurnRequest } from '../council/council.ts';
import { estimateEmbeddingUsd, estimateTurnUsd, type PriceOf } from '../council/estimate.ts';
import type { Quotas } from '../queue/quotas.ts';
import type { Store, StoredSettings } from '../store/store.ts';
import { type BudgetGuard, type Budgets, budgetsOf } from './budget.ts';
import { type Channel, type ChannelsOptions, readChannel } from './channels.ts';
import { complaintAboutSages } from './complaints.ts';
import { guestsOf } from './guests.ts';
import { QuestionRate, rateScope } from './question-rate.ts';
import { recentScope, withQuestion } from './recent-questions.ts';
import type { OpenModels, TurnMemory } from './turn-run.ts';
import { workspaceOf } from './turns-of-place.ts';

export interface AdmissionOptions extends ChannelsOptions {
  readonly store: Store;
  readonly openModels: OpenModels;
  readonly priceOf: PriceOf;
  readonly memory: TurnMemory;
  readonly budget: BudgetGuard;
  readonly quotas: Quotas;
  /** Of a person and of a workspace; that of a channel is among its settings. */
  readonly budgets: Omit<Budgets, 'channelUsdPerDay'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A question that may be asked. It counts from now on. */
export interface Admitted {
  /** With the sage that it begins with the name of. */
  readonly request: TurnRequest;
  /** Stores that it counts, and that the person asked it; to be called once its turn is stored. */
  keep(asked: TurnRequest): Promise<void>;
  /** Uncounts it, when it made no turn. */
  uncount(): Promise<void>;
}

export class Admission {
  readonly #options: AdmissionOptions;
  readonly #rate: QuestionRate;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#rate = new QuestionRate(options.store.settings, options.quotas, options.now);
  }

  /**
   * Holds a question against what its channel is set to; a refusal is for people. What is set aside of
   * the budgets is among what the turn holds.
   */
  async admit(asked: TurnRequest): Promise<Admitted | { readonly refusal: string }> {
    const { threadId, turnId, author } = asked;
    const rate = rateScope(threadId, author.id);
    const recent = recentScope(workspaceOf(threadId), author.id);
    const asker = { turnId, threadId, userId: author.id };
    // Asked in one step, so that a store that is far away is waited for once.
    const [{ channel, beside }, spent] = await Promise.all([
      readChannel(this.#options, threadId, [rate, recent]),
      this.#isLimited() ? this.#options.budget.spent(asker) : undefined,
    ]);
    const [rateKept = {}, recentKept = {}] = beside;
    const request = await this.#withSages(asked, channel);
    const known = [...channel.council.bench, ...(request.guests ?? [])];
    const complaint = complaintAboutSages(request.sages, known);
    if (complaint) return { refusal: complaint };
    const { questionsPerUserPerHour } = channel.settings;
    const counted = await this.#rate.count(rate, rateKept, turnId, questionsPerUserPerHour);
    if ('refusal' in counted) return counted;
    let isAdmitted = false;
    try {
      const estimatedUsd = this.#estimate(request, channel);
      const budgets = budgetsOf(channel, this.#options.budgets);
      const { budget } = this.#options;
      const refusal = await budget.reserve(asker, estimatedUsd, budgets, undefined, spent);
      if (refusal) return { refusal };
      isAdmitted = true;
      const keep = async (taken: TurnRequest) => {
        await Promise.all([counted.keep(), this.#remember(taken, recent, recentKept)]);
      };
      return { request, keep, uncount: counted.release };
    } finally {
      if (!isAdmitted) await counted.release();
    }
  }

  /** Whether the operator's files limit what is spent; a channel that alone does so is asked about later. */
  #isLimited(): boolean {
    const { budgets, settings } = this.#options;
    return Object.values(budgetsOf({ settings }, budgets)).some((usd) => usd !== undefined);
  }

  /** Keeps which questions a person asked last. */
  async #remember(request: TurnRequest, scope: string, kept: StoredSettings): Promise<void> {
    const { store, now } = this.#options;
    const changes = withQuestion(kept, request.turnId, request.threadId);
    await store.settings.write(scope, changes, { setBy: 'recent', setAt: now() });
  }

  /** Finds whom the question is put to; in its thread that may be somebody who is on no bench. */
  async #withSages(asked: TurnRequest, { council }: Channel): Promise<TurnRequest> {
    const { bench, maxDynamicSages } = council;
    const { sages, question, threadId } = asked;
    const onBench = sages ? undefined : addressedSage(question, bench);
    if (onBench) return { ...asked, sages: [onBench.key] };
    const isElsewhere = sages
      ? sages.some((key) => bench.every((sage) => sage.key !== key))
      : addressesSomebody(question);
    // Where nobody may be invented, those of earlier are not heard again either.
    if (!isElsewhere || maxDynamicSages === 0) return asked;
    const all = await guestsOf(this.#options.store.turns, threadId);
    const addressed = sages ? undefined : addressedSage(question, all);
    const wanted = addressed ? [addressed.key] : sages;
    const guests = all.filter(({ key }) => wanted?.includes(key));
    return wanted && guests.length > 0 ? { ...asked, sages: wanted, guests } : asked;
  }

  #estimate(request: TurnRequest, { council, settings }: Channel): number {
    const { openModels, priceOf, memory } = this.#options;
    const models = openModels(() => undefined, settings);
    const { limits } = memory;
    const isRecalling = settings.memory && limits.interactions > 0;
    const questionChars = request.question.length;
    const turnUsd = estimateTurnUsd(council, models, priceOf, {
      questionChars,
      depth: request.depth ?? council.depth,
      sages: request.sages,
      contextTokens: isRecalling ? limits.budgetTokens : 0,
    });
    if (!isRecalling || !models.embedder) return turnUsd;
    return turnUsd + estimateEmbeddingUsd(models.embedder.id, priceOf, questionChars);
  }
}
