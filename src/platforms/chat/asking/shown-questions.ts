/** Questions that are no message yet, e.g. of a command: shown once they are stored, and lost by no death in between. */

import { acceptedWords } from '../../../domain/asking.ts';
import type { Log } from '../../../domain/log.ts';
import type { TurnRequest } from '../../../domain/turn.ts';
import type { Asked, Ingress, OpenThread, Question } from '../../platform.ts';
import { askedTooFast, waitsForStart } from './asking-words.ts';

export type ShownQuestion =
  | Asked
  /** It may be shown, and could not begin: it is taken up at the next start. */
  | { readonly status: 'kept'; readonly question: TurnRequest };

/**
 * Asks a question that has to be shown first. Throws what `open` and the store throw before the
 * question is stored.
 *
 * @param open - Absent: there is nothing to show, e.g. in a thread.
 */
export async function askShown(
  request: Question,
  open: OpenThread | undefined,
  { ingress, log }: { readonly ingress: Pick<Ingress, 'ask'>; readonly log: Log },
): Promise<ShownQuestion> {
  let kept: TurnRequest | undefined;
  const openKept: OpenThread | undefined =
    open &&
    ((question) => {
      kept = question;
      return open(question);
    });
  try {
    return await ingress.ask(request, openKept);
  } catch (error) {
    if (!kept) throw error;
    log.error({ turnId: kept.turnId, error }, 'a question waits for the next start');
    return { status: 'kept', question: kept };
  }
}

/** @returns Nothing where another delivery of the same event is answered. */
export function wordsFor(asked: ShownQuestion): string | undefined {
  switch (asked.status) {
    case 'accepted':
      return acceptedWords(asked.turnsBefore);
    case 'refused':
      return asked.reason;
    case 'kept':
      return waitsForStart;
    case 'dropped':
      return undefined;
  }
}

export interface TakingUp {
  readonly ingress: Pick<Ingress, 'abandoned' | 'ask'>;
  readonly platform: string;
  /** Finds what shows the question, or shows it. */
  readonly open: OpenThread;
  /** Tells the person that nothing comes of it, and takes back what showed it. */
  readonly refuse: (question: TurnRequest, reason: string) => Promise<void>;
  /** Nothing more is taken up. */
  readonly isStopping: () => boolean;
  readonly log: Log;
}

/**
 * Goes on with the questions that earlier processes had stored and not shown, or shown and not begun,
 * when they died. Those that another process takes up become this one's only if that dies as well. Never rejects.
 */
export async function takeUpAbandoned(options: TakingUp): Promise<void> {
  const { ingress, platform, open, refuse, isStopping, log } = options;
  const onError = (error: unknown) => {
    if (isStopping()) return;
    log.error({ error }, 'an abandoned question could not be resumed; it is retried');
  };
  const takeUp = async (question: TurnRequest) => {
    const asked = await ingress.ask(question, open);
    if (asked.status === 'refused') await refuse(question, asked.reason);
  };
  try {
    for (;;) {
      const questions = await ingress.abandoned(platform);
      if (questions.length === 0) return;
      for (const question of questions) {
        if (isStopping()) return;
        log.info({ turnId: question.turnId }, 'an abandoned question is resumed');
        await takeUp(question).catch(onError);
      }
    }
  } catch (error) {
    onError(error);
  }
}

/** Taking one in takes a moment; no person types that fast. */
const mostAtOnce = 5;

/** Bounds how many questions of one person are being accepted at a time, so that a flood is refused quickly. */
export class AskedAtOnce {
  readonly #asking = new Map<string, number>();

  /** Calls one of the two. Throws as they do. */
  async within(
    personId: string,
    take: () => Promise<void>,
    refuse: (reason: string) => Promise<unknown>,
  ): Promise<void> {
    const begun = this.#asking.get(personId) ?? 0;
    if (begun >= mostAtOnce) {
      await refuse(askedTooFast);
      return;
    }
    this.#asking.set(personId, begun + 1);
    try {
      await take();
    } finally {
      const left = (this.#asking.get(personId) ?? 1) - 1;
      if (left === 0) this.#asking.delete(personId);
      else this.#asking.set(personId, left);
    }
  }
}
