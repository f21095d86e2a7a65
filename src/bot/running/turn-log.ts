/** What the log tells of a turn. */

import type { TurnEvent } from '../../council/events.ts';
import type { Log } from '../../domain/log.ts';
import type { Channel } from '../places/channels.ts';

/** One line for each setting that was made once and can't hold any more; what it says is in the settings. */
export function logIgnored(log: Log, { resolved }: Channel): void {
  for (const [setting, { ignored }] of Object.entries(resolved)) {
    if (ignored.length > 0) log.warn({ setting, times: ignored.length }, 'setting passed over');
  }
}

/** One line for each step that ended; never what was asked or said. */
export function logEvent(log: Log, event: TurnEvent): void {
  switch (event.type) {
    case 'seated':
      log.info(
        {
          seats: event.seated.seats.map((seat) => seat.sage.key),
          how: event.seated.how,
          because: event.seated.because,
          // Whom and why is in the receipt: the moderator's own words are in it.
          dropped: event.seated.dropped.length,
          latencyMs: event.seated.latencyMs,
        },
        'council seated',
      );
      return;
    case 'answered': {
      const { sage, status, reason, model, latencyMs } = event.answer;
      log.info({ sage, status, reason, model, latencyMs }, 'sage ended');
      return;
    }
    case 'reviewed': {
      const { reviewer, ballot, model, latencyMs } = event.review;
      log.info({ reviewer, ballot: ballot.status, model, latencyMs }, 'review ended');
      return;
    }
    case 'concluded': {
      const { kind, by, latencyMs } = event.verdict;
      log.info({ kind, by, latencyMs }, 'verdict reached');
      return;
    }
    case 'ended':
      log.info({ outcome: event.end.outcome }, 'turn ended');
      return;
  }
}
