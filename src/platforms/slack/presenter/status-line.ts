/** The status below a thread, which says what the app is doing until it posts. Best effort: nothing waits for it. */

import type { TurnStage } from '../../../council/events.ts';
import type { Log } from '../../../domain/log.ts';
import type { TurnRequest } from '../../../domain/turn.ts';
import type { Personas } from '../../chat/show/personas.ts';
import type { TurnProgress } from '../../chat/show/turn-progress.ts';
import { excerpt } from '../../chat/text/split-markdown.ts';
import { unseenSpace, visibleName } from '../../chat/text/visible-text.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { setStatus, setTitle } from '../api/streams.ts';
import { readThreadId, type SlackPlace } from '../place.ts';
import { SlackRefusal } from '../slack-error.ts';
import { nameOf } from './persona.ts';

const maxNames = 3;

export type StatusLine = ReturnType<typeof statusLine>;

export function statusLine(api: SlackApi, place: SlackPlace, log: Log) {
  /** The latest status, as the words after the app's name; empty: it is cleared; absent: none was shown. */
  let wanted: string | undefined;
  let sending = Promise.resolve();
  let isRefused = false;

  function show(status: string): void {
    if (status === wanted) return;
    wanted = status;
    sending = sending.then(() => send(status));
  }

  async function send(status: string): Promise<void> {
    if (isRefused || status !== wanted) return;
    try {
      await setStatus(api, place, status);
    } catch (error) {
      // After a refusal it is not tried again; other errors are temporary.
      isRefused = error instanceof SlackRefusal;
      log.info({ channel: place.channel, error }, 'a status could not be shown');
    }
  }

  return {
    /** Shows what a turn is doing, soon; of several quick changes only the last. */
    show: (progress: TurnProgress, personas: Personas) => show(statusOf(progress, personas)),

    /** Clears the status, also one that an earlier process or call may have set late. Never throws. */
    async clear(): Promise<void> {
      show('');
      await sending;
    },
  };
}

const statuses: Readonly<Record<Exclude<TurnStage, 'moderator' | 'sages'>, string>> = {
  reviews: 'is reviewing the answers…',
  docket: 'is looking for contradictions…',
  rebuttals: 'is hearing the parties again…',
  second_ballots: 'is voting again…',
  verdict: 'is weighing it all…',
};

function statusOf({ stage, seats, seated }: TurnProgress, personas: Personas): string {
  if (stage !== undefined && stage !== 'moderator' && stage !== 'sages') return statuses[stage];
  const names = seats.map(({ sage }) => inert(nameOf(sage.key, personas)));
  if (stage === 'sages' && seated) return `is hearing ${listed(names)}…`;
  return names.length === 0 ? 'is seating the sages…' : `is seating ${listed(names)}…`;
}

/** Disables markup without escaping: it is unknown whether Slack interprets a status, and an escape might be visible. */
function inert(name: string): string {
  return name.replaceAll('<', `<${unseenSpace}`);
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, maxNames).join(', ');
  const more = names.length - maxNames;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** What fits into the agent pane's list. */
const longestTitle = 100;

/** Names a thread in the agent pane after its question. Never throws. */
export async function entitle(
  api: SlackApi,
  { turnId, threadId, question }: TurnRequest,
  log: Log,
): Promise<void> {
  try {
    const title = visibleName(excerpt(question, longestTitle));
    await setTitle(api, readThreadId(threadId), title);
  } catch (error) {
    log.info({ turnId, error }, 'a thread could not be given its title');
  }
}
