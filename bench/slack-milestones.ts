/** Reads out of the calls of Slack's Web API how far each thread has come, and when. */

import { z } from 'zod';
import type { RecordedCall } from '../test/fakes/slack/api/journal.ts';

/** In ms of the fake's clock. */
export interface Milestones {
  readonly status: number;
  readonly answer: number;
  readonly verdict: number;
  readonly end: number;
}

export const milestoneNames = [
  'status',
  'answer',
  'verdict',
  'end',
] as const satisfies readonly (keyof Milestones)[];

const callSchema = z.object({
  method: z.string(),
  args: z.object({
    thread_ts: z.string().optional(),
    ts: z.string().optional(),
    text: z.string().optional(),
    metadata: z.object({ event_payload: z.object({ part: z.string() }) }).optional(),
  }),
  answer: z.object({ ok: z.literal(true), ts: z.string().optional() }),
});

/** @returns By thread; those that have come to their end. */
export function milestonesOf(calls: readonly RecordedCall[]): ReadonlyMap<string, Milestones> {
  const reached = new Map<string, Partial<Milestones>>();
  const threadOfMessage = new Map<string, string>();
  for (const call of calls) {
    const { data } = callSchema.safeParse(call);
    if (!data) continue;
    const { args, answer } = data;
    const thread = args.thread_ts ?? threadOfMessage.get(args.ts ?? '');
    const name = milestoneOf(data);
    if (thread === undefined) continue;
    if (answer.ts !== undefined) threadOfMessage.set(answer.ts, thread);
    if (name) reached.set(thread, { [name]: call.atMs, ...reached.get(thread) });
  }
  return new Map(
    [...reached].flatMap(([thread, { status, answer, verdict, end }]) =>
      status === undefined || answer === undefined || verdict === undefined || end === undefined
        ? []
        : [[thread, { status, answer, verdict, end }] as const],
    ),
  );
}

function milestoneOf({ method, args }: z.infer<typeof callSchema>): keyof Milestones | undefined {
  const part = args.metadata?.event_payload.part ?? '';
  switch (method) {
    case 'assistant.threads.setStatus':
      return 'status';
    case 'chat.startStream':
      return 'answer';
    case 'chat.postMessage':
      return part.startsWith('answer') ? 'answer' : part === 'verdict' ? 'verdict' : undefined;
    case 'chat.update':
      return args.text?.startsWith('The council has answered') ? 'end' : undefined;
    default:
      return undefined;
  }
}

/** What the model's latency and one post a second in a channel alone would make of it. */
export function idealMilestones(
  threadsInChannel: number,
  { sages, stepMs, postGapMs }: { sages: number; stepMs: number; postGapMs: number },
): readonly Milestones[] {
  let freeAt = 0;
  const post = (readyAt: number) => {
    const at = Math.max(readyAt, freeAt);
    freeAt = at + postGapMs;
    return at;
  };
  const threads = Array.from({ length: threadsInChannel }, (_, index) => index);
  for (const _ of threads) post(0);
  const answers = threads.map(() => [Infinity, 0]);
  // In turn, so that no thread waits for another's answers to be all there.
  for (let sage = 0; sage < sages; sage += 1) {
    for (const thread of threads) {
      const at = post(2 * stepMs);
      const [first = Infinity] = answers[thread] ?? [];
      answers[thread] = [Math.min(first, at), at];
    }
  }
  return answers.map(([answer = 0, last = 0]) => {
    const verdict = post(Math.max(4 * stepMs, last));
    return { status: 0, answer, verdict, end: verdict };
  });
}
