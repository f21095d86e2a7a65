import type { Clock } from '../../discord/world/clock.ts';
import { bodyOf } from '../delivery/http.ts';
import { signedHeaders } from '../delivery/signature.ts';
import type { Outgoing } from '../delivery/transport.ts';
import type { App } from '../world/app.ts';

export interface Forgery {
  /** What it was signed with, instead of the app's secret. */
  readonly secret?: string;
  /** How long ago it was signed. */
  readonly ageMs?: number;
  /** Sends no signature at all. */
  readonly isUnsigned?: boolean;
}

/** Requests that only look as if they came from Slack. */
export function forging(app: App, clock: Clock) {
  return {
    /** Sends something to the app's request url as an impostor would; gives the status of its answer. */
    async forge(
      url: string,
      outgoing: Pick<Outgoing, 'kind' | 'payload'>,
      { secret = app.signingSecret, ageMs = 0, isUnsigned = false }: Forgery,
    ): Promise<number> {
      const { body, contentType } = bodyOf(outgoing);
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': contentType,
          ...(!isUnsigned && signedHeaders(secret, body, clock.now() - ageMs)),
        },
        body,
      });
      await response.body?.cancel();
      return response.status;
    },
  };
}
