import type { TurnRequest } from '../../../council/council.ts';
import type { Ingress } from '../../platform.ts';

export interface TakingUp {
  readonly ingress: Pick<Ingress, 'abandoned'>;
  readonly platform: string;
  /** Goes on with one of them. */
  readonly askAgain: (question: TurnRequest) => Promise<void>;
  /** Nothing more is taken up. */
  readonly isStopping: () => boolean;
  readonly log: Record<
    'info' | 'error',
    (facts: Readonly<Record<string, unknown>>, sentence: string) => void
  >;
}

/**
 * Goes on with what earlier processes had stored and not shown, or shown and not begun, when they
 * died; with what another process takes up only when that dies as well. Never rejects.
 */
export async function takeUpAbandoned(options: TakingUp): Promise<void> {
  const { ingress, platform, askAgain, isStopping, log } = options;
  const onError = (error: unknown) => {
    if (isStopping()) return;
    log.error({ error }, 'an abandoned question could not be taken up; it is tried again');
  };
  try {
    for (;;) {
      const questions = await ingress.abandoned(platform);
      if (questions.length === 0) return;
      for (const question of questions) {
        if (isStopping()) return;
        log.info({ turnId: question.turnId }, 'an abandoned question is taken up');
        await askAgain(question).catch(onError);
      }
    }
  } catch (error) {
    onError(error);
  }
}
