/** Decides whether a remark that didn't name the council is meant for it, and seats the council if so. */

import { keptReasoning, type Seated } from '../domain/turn.ts';
import type { StepInput } from './council.ts';
import { askInTime } from './cutoff.ts';
import {
  moderatorMessages,
  type Overheard,
  overheardShape,
  respondMessages,
  respondShape,
  wantsAnswer,
  withRespondRule,
} from './prompts/moderator-prompt.ts';
import { addAll, newSeatList } from './seating.ts';

export type OverheardInput = Omit<StepInput, 'request'> & {
  readonly request: Pick<StepInput['request'], 'question'>;
};

/** Who should respond. `seated` is absent if the seats are fixed, or if the reply named no sage that can be seated. */
export type Respond =
  | { readonly who: 'council'; readonly seated?: Seated }
  | { readonly who: 'nobody'; readonly because: 'unmeant' | 'failed' | 'not_understood' };

/**
 * Asks the moderator, once. If it fails or its reply can't be read, the council stays silent. Throws only when the
 * signal was aborted.
 */
export async function judgeOverheard(input: OverheardInput): Promise<Respond> {
  const { request, council, context, models, signal } = input;
  const { moderatorTimeoutMs: timeoutMs } = council.limits;
  const startedAt = Date.now();
  const isModerated = council.seats === 'moderated';
  const messages = isModerated
    ? withRespondRule(moderatorMessages(request.question, council, context))
    : respondMessages(request.question, context);
  const reply = await askInTime<Overheard>(
    models.moderator,
    { messages, stage: 'moderator', signal, who: 'The moderator', timeoutMs },
    isModerated ? overheardShape : respondShape,
  );
  if (reply.status !== 'shaped') return silence(reply.status);
  const { respond } = reply.value;
  if (respond !== undefined && !wantsAnswer(reply.value))
    return { who: 'nobody', because: 'unmeant' };
  const list = addAll(reply.value, newSeatList(input, council.bench));
  const { seats, dropped, onRequest, isAlone } = list;
  // Seats without `respond` also mean an answer; a reply with neither can't be understood.
  if (seats.length === 0 && !isAlone) {
    return respond === undefined ? silence('unshaped') : { who: 'council' };
  }
  return {
    who: 'council',
    seated: {
      seats: [...seats],
      how: isAlone ? 'addressed' : 'moderated',
      dropped: [...dropped],
      ...(onRequest === undefined ? {} : { onRequest }),
      ...keptReasoning(reply.reply.reasoning),
      latencyMs: Date.now() - startedAt,
    },
  };
}

function silence(status: 'failed' | 'unshaped'): Respond {
  return { who: 'nobody', because: status === 'failed' ? 'failed' : 'not_understood' };
}
