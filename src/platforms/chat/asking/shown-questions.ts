/** Questions without a message, e.g. from commands: stored before they are shown, so that they survive a crash. */

import type { Log } from '../../../domain/log.ts';
import type { TurnRequest } from '../../../domain/turn.ts';
import { acceptedWords } from '../../../domain/turn-words.ts';
import type { Asked, Ingress, OpenThread, Question } from '../../platform.ts';
import { waitsForStart } from './asking-words.ts';

export type ShownQuestion =
  | Asked
  /** Stored but not started; the next start resumes it. */
  | { readonly status: 'kept'; readonly question: TurnRequest };

/**
 * Asks a question and shows it. Throws the errors of `open` and the store until the question is stored.
 *
 * @param open - Absent: there is nothing to open, e.g. in a thread.
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

/** The reply to the asker; `undefined` if another delivery of the event was accepted. */
export function wordsFor(asked: ShownQuestion): string | undefined {
  switch (asked.status) {
    case 'accepted':
      return acceptedWords(asked);
    case 'refused':
      return asked.reason;
    case 'kept':
      return waitsForStart;
    case 'dropped':
      return undefined;
  }
}

export interface ResumeOptions {
  readonly ingress: Pick<Ingress, 'abandoned' | 'ask'>;
  readonly platform: string;
  /** Finds the posts of the question, or creates them. */
  readonly open: OpenThread;
  /** Tells the person that the question was refused, and withdraws its posts. */
  readonly refuse: (question: TurnRequest, reason: string) => Promise<void>;
  /** Ends the resuming. */
  readonly isStopping: () => boolean;
  readonly log: Log;
}

/**
 * Resumes questions that a process stored but did not start before it died. Skips those that another process is
 * resuming, unless that dies too. Never rejects.
 */
export async function resumeAbandoned(options: ResumeOptions): Promise<void> {
  const { ingress, platform, open, refuse, isStopping, log } = options;
  const onError = (error: unknown) => {
    if (isStopping()) return;
    log.error({ error }, 'an abandoned question could not be resumed; it is retried');
  };
  const resume = async (question: TurnRequest) => {
    const asked = await ingress.ask(question, open);
    if (asked.status === 'refused') await refuse(question, asked.inPublic ?? asked.reason);
  };
  try {
    for (;;) {
      const questions = await ingress.abandoned(platform);
      if (questions.length === 0) return;
      for (const question of questions) {
        if (isStopping()) return;
        log.info({ turnId: question.turnId }, 'an abandoned question is resumed');
        await resume(question).catch(onError);
      }
    }
  } catch (error) {
    onError(error);
  }
}
