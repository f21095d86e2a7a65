/** The status below a thread, which says what the app is doing until it posts. Best effort: nothing waits for it. */

import { listedIn } from '../../../domain/languages/languages.ts';
import type { Log } from '../../../domain/log.ts';
import type { TurnRequest } from '../../../domain/turn.ts';
import type { ShownTurn } from '../../chat/show/canvas.ts';
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
    show: (turn: ShownTurn) => show(statusOf(turn)),

    /** Clears the status, also one that an earlier process or call may have set late. Never throws. */
    async clear(): Promise<void> {
      show('');
      await sending;
    },
  };
}

function statusOf({ progress: { stage, seats, seated }, personas, words }: ShownTurn): string {
  if (stage && stage !== 'moderator' && stage !== 'sages') return words.status[stage];
  const names = seats.map(({ sage }) => inert(nameOf(sage.key, personas)));
  const named = listedIn(words, names, maxNames);
  if (stage === 'sages' && seated) return words.isHearing(named);
  return names.length === 0 ? words.status.seating : words.isSeating(named);
}

/** Disables markup without escaping: it is unknown whether Slack interprets a status, and an escape might be visible. */
function inert(name: string): string {
  return name.replaceAll('<', `<${unseenSpace}`);
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
