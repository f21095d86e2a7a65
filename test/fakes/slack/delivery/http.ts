import type { Clock } from '../../discord/world/clock.ts';
import { signedHeaders } from './signature.ts';
import { type Answer, acknowledgeWithinMs, type Outgoing, type Transport } from './transport.ts';

/** Tells the app by signed requests to its request url. */
export function httpTransport(url: string, signingSecret: string, clock: Clock): Transport {
  return {
    isUp: () => true,
    send: async (outgoing) => {
      const { body, contentType } = bodyOf(outgoing);
      const { retry } = outgoing;
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: {
            'content-type': contentType,
            ...signedHeaders(signingSecret, body, clock.now()),
            ...(retry && {
              'x-slack-retry-num': String(retry.number),
              'x-slack-retry-reason': retry.reason,
            }),
          },
          body,
          signal: AbortSignal.timeout(acknowledgeWithinMs),
        });
        const text = await response.text();
        if (response.ok) return { kind: 'acknowledged', payload: readBody(text) };
        return { kind: 'not acknowledged', reason: 'http_error', status: response.status };
      } catch (error) {
        return failure(error);
      }
    },
  };
}

function failure(error: unknown): Answer {
  const isTimeout = error instanceof Error && error.name === 'TimeoutError';
  return { kind: 'not acknowledged', reason: isTimeout ? 'http_timeout' : 'connection_failed' };
}

/** Events are JSON; commands are a form; interactions are a form with one field of JSON. */
export function bodyOf({ kind, payload }: Pick<Outgoing, 'kind' | 'payload'>) {
  if (kind === 'events_api') {
    return { body: JSON.stringify(payload), contentType: 'application/json' };
  }
  const fields =
    kind === 'interactive'
      ? { payload: JSON.stringify(payload) }
      : Object.fromEntries(
          Object.entries({ ...Object(payload) }).map(([name, value]) => [name, String(value)]),
        );
  return {
    body: new URLSearchParams(fields).toString(),
    contentType: 'application/x-www-form-urlencoded',
  };
}

function readBody(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}
