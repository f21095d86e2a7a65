/**
 * Asking Slack where a socket may be opened. The library's own policy would wait ever longer, hours after
 * an outage of hours, keep the process from ending meanwhile, and bring the process down when the token is
 * no longer good: so it is given an answer that is worth having, or none.
 */

import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import type { Log } from '../../../domain/log.ts';
import { linkSignals } from '../../../waiting.ts';
import { reconnectWaitMs } from '../../chat/pacing/back-off.ts';

/** How long one request may stay unanswered. */
const answeredWithinMs = 15_000;

/**
 * What Slack says of an app token that no further try mends. All else, e.g. `internal_error`, is
 * left to the library, which tries again.
 */
const finalWords: ReadonlySet<string> = new Set([
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'not_allowed_token_type',
  'missing_scope',
  'no_permission',
  'access_denied',
  'team_disabled',
  'user_removed_from_team',
]);

const refusalSchema = z.object({ ok: z.literal(false), error: z.string() });

export interface SteadyFetchOptions {
  readonly log: Log;
  /** Ends every wait; what was asked for then is never answered. */
  readonly signal: AbortSignal;
  /** Slack said that there is nothing to hope for; that request is never answered either. */
  readonly onRefusal: (word: string) => void;
}

/** Makes the requests with which Socket Mode asks where to connect. */
export function createSteadyFetch({ log, signal, onRefusal }: SteadyFetchOptions) {
  const never = new Promise<never>(() => undefined);
  return async (url: string | URL, init?: RequestInit): Promise<Response> => {
    for (let failures = 1; !signal.aborted; failures += 1) {
      const answer = await tryOnce(url, init, signal);
      if (answer instanceof Response && answer.ok) {
        const word = await finalWord(answer.clone());
        if (word === undefined) return answer;
        onRefusal(word);
        return never;
      }
      if (signal.aborted) break;
      const waitMs = reconnectWaitMs(failures);
      const askedForMs = answer instanceof Response ? retryAfterMs(answer) : 0;
      log.warn({ reason: reasonOf(answer), waitMs }, 'Slack names no socket; trying again');
      await wait(Math.max(waitMs, askedForMs), undefined, { signal }).catch(() => undefined);
    }
    return never;
  };
}

async function tryOnce(
  url: string | URL,
  init: RequestInit | undefined,
  signal: AbortSignal,
): Promise<Response | Error> {
  try {
    using soon = linkSignals(signal, AbortSignal.timeout(answeredWithinMs));
    const response = await fetch(url, { ...init, signal: soon.signal });
    // Read here, so that an answer that breaks off is tried again as well.
    const { status, headers } = response;
    return new Response(await response.arrayBuffer(), { status, headers });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function finalWord(answer: Response): Promise<string | undefined> {
  const refusal = refusalSchema.safeParse(await answer.json().catch(() => undefined));
  return refusal.success && finalWords.has(refusal.data.error) ? refusal.data.error : undefined;
}

function retryAfterMs(answer: Response): number {
  const seconds = Number(answer.headers.get('retry-after'));
  return Number.isFinite(seconds) ? seconds * 1000 : 0;
}

/** The library's words hold the address at most; the token is in a header, which is never printed. */
function reasonOf(answer: Response | Error): string {
  return answer instanceof Response ? `status ${answer.status}` : answer.message;
}
