/** Whether a question may become a turn: what is asked, of whom, how often and at what cost. */

import { addressedSage } from '../council/addressing.ts';
import type { TurnRequest } from '../council/council.ts';
import { estimateTurnUsd, type PriceOf } from '../council/estimate.ts';
import type { Quotas } from '../queue/quotas.ts';
import type { Store, StoredSettings } from '../store/store.ts';
import { BudgetGuard, type Budgets } from './budget.ts';
import { type Channel, type ChannelsOptions, readChannel } from './channels.ts';
import { complaintAboutSages } from './complaints.ts';
import { QuestionRate, rateScope } from './question-rate.ts';
import { recentScope, withQuestion } from './recent-questions.ts';
import type { OpenModels } from './turn-run.ts';
import { workspaceOf } from './turns-of-place.ts';

export interface AdmissionOptions extends ChannelsOptions {
  readonly store: Store;
  readonly quotas: Quotas;
  readonly openModels: OpenModels;
  readonly priceOf: PriceOf;
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
  uncount(): void;
}

export class Admission {
  readonly #options: AdmissionOptions;
  readonly #budget: BudgetGuard;
  readonly #rate: QuestionRate;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#budget = new BudgetGuard(options.store, options.quotas, options.now);
    this.#rate = new QuestionRate(options.store.settings, options.now);
  }

  /**
   * Holds a question against what its channel is set to; a refusal is for people. What is set aside of
   * the budgets is among what the turn holds.
   */
  async admit(asked: TurnRequest): Promise<Admitted | { readonly refusal: string }> {
    const { threadId, turnId, author } = asked;
    const rate = rateScope(threadId, author.id);
    const recent = recentScope(workspaceOf(threadId), author.id);
    const { channel, beside } = await readChannel(this.#options, threadId, [rate, recent]);
    const [rateKept = {}, recentKept = {}] = beside;
    const addressed = asked.sages
      ? undefined
      : addressedSage(asked.question, channel.council.bench);
    const request = addressed ? { ...asked, sages: [addressed.key] } : asked;
    const complaint = complaintAboutSages(request.sages, channel.council.bench);
    if (complaint) return { refusal: complaint };
    const { questionsPerUserPerHour, channelUsdPerDay } = channel.settings;
    const counted = this.#rate.count(rate, rateKept, turnId, questionsPerUserPerHour);
    if ('refusal' in counted) return counted;
    let isAdmitted = false;
    try {
      const estimatedUsd = this.#estimate(request, channel);
      const asker = { turnId, threadId, userId: author.id };
      const refusal = await this.#budget.reserve(asker, estimatedUsd, {
        ...this.#options.budgets,
        ...(channelUsdPerDay === 'unlimited' ? {} : { channelUsdPerDay }),
      });
      if (refusal) return { refusal };
      isAdmitted = true;
      const keep = async (taken: TurnRequest) => {
        await Promise.all([counted.keep(), this.#remember(taken, recent, recentKept)]);
      };
      return { request, keep, uncount: counted.release };
    } finally {
      if (!isAdmitted) counted.release();
    }
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
}
