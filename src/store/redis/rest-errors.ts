import { StoreError } from '../store.ts';
import { isPassing, refusal, unreachable } from './errors.ts';

/** What Upstash alone says, and what an operator does about it. */
const refusals: readonly {
  readonly said: RegExp;
  readonly reason: StoreError['reason'];
  readonly text: string;
}[] = [
  {
    said: /^(WRONGPASS|NOAUTH)\b/,
    reason: 'refused',
    text: 'refuses the token. Copy UPSTASH_REDIS_REST_TOKEN from the REST API part of its page at console.upstash.com.',
  },
  {
    said: /max request size exceeded/,
    reason: 'refused',
    text: 'takes less at once than this was, and nothing of it was stored. Choose a larger plan at console.upstash.com, then go on.',
  },
  {
    said: /max (daily |monthly )?requests? limit exceeded/,
    reason: 'full',
    text: 'has used up the requests of its plan, and takes no more until the next month or day. Choose a larger plan at console.upstash.com, then go on.',
  },
  {
    said: /capacity quota exceeded|max single record size exceeded/,
    reason: 'full',
    text: 'has no room left. What was stored before is safe, the last change was not stored. Choose a larger plan at console.upstash.com or let less be kept (memory.retentionDays), then go on.',
  },
];

/**
 * Says what a request failed by in words that an operator can act on. Neither the token nor what was
 * asked, which the client quotes, is in it.
 *
 * @param server - Its address.
 * @param waitMs - For how long an answer was waited for.
 */
export function restTrouble(server: string, waitMs: number, error: unknown): StoreError {
  if (!(error instanceof Error)) return unreachable(server, waitMs, error);
  switch (error.name) {
    case 'UpstashError': {
      // The client quotes the whole command behind what the server said: what people asked is in it.
      const [said = ''] = saidIn(error).split(', command was: ');
      const known = refusals.find((one) => one.said.test(said));
      if (known === undefined) return refusal(server, said);
      const { reason, text } = known;
      return new StoreError(`The Redis server ${server} ${text}`, { reason });
    }
    case 'UpstashJSONParseError':
      // The client quotes the answer: what people said may be in it.
      return unreachable(server, waitMs, new Error('what came is no JSON'));
    case 'TimeoutError':
    case 'AbortError':
      return unreachable(server, waitMs, undefined);
    default:
      return unreachable(server, waitMs, error);
  }
}

/** Whether the same may be answered soon: nobody was reached, or what answered is not the database. */
export function mayPass(error: unknown): boolean {
  return !(error instanceof Error && error.name === 'UpstashError') || isPassing(saidIn(error));
}

/** What the server said to one command of several. */
export function saidIn({ message }: Error): string {
  return message.replace(/^Command failed: /, '');
}
