/** What the log says of models: that one fails and answers again, and what is remarkable about it. */

import { Cutoff } from '../../council/cutoff.ts';
import type { Log } from '../../domain/log.ts';
import { type CallUsage, ModelError } from '../../models/chat-model.ts';

/** Logs once that a model fails after all its retries, and once that it answers again. */
export function failureLogger(log: Log): (model: string, error?: unknown) => void {
  const failing = new Set<string>();
  return (model, error) => {
    if (error === undefined && failing.delete(model)) log.info({}, `${model} answers again`);
    const isLate = error instanceof Cutoff && error.reason === 'timed_out';
    // A refusal is about one question.
    const isFailure = error instanceof ModelError && error.failure !== 'refused';
    if ((!isLate && !isFailure) || failing.has(model)) return;
    failing.add(model);
    // The message of a time limit names the sage, and people name sages.
    log.warn({ error: isLate ? 'It did not answer in time.' : error }, `${model} fails`);
  };
}

/** Logs each remark about a model once, without what a server said: it may have quoted the question. */
export function remarkLogger(log: Log): (call: CallUsage, said: string) => void {
  const logged = new Set<string>();
  return ({ model, remarks = [] }, said) => {
    for (const remark of remarks) {
      const sentence = `${model} ${said === '' ? remark : remark.replaceAll(said, '(not logged)')}`;
      if (logged.has(sentence)) continue;
      logged.add(sentence);
      log.warn({ model }, sentence);
    }
  };
}
