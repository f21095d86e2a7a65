/** Gets together what a turn is shown with. */

import type { Log } from '../../../domain/log.ts';
import { patientWaitsMs } from '../../chat/pacing/back-off.ts';
import type { Pacer } from '../../chat/pacing/pacer.ts';
import { notBegun } from '../../chat/show/turn-progress.ts';
import type { PresentedTurn } from '../../platform.ts';
import { whileHeld, withEnd, withRepetition } from '../api/patience.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { Scope } from '../permissions.ts';
import { readThreadId, type SlackPlace } from '../thread-id.ts';
import type { ProgressState } from './progress-message.ts';
import { StatusLine } from './status-line.ts';
import { TurnPoster } from './turn-poster.ts';

/** What the presenter has to know of the app in a workspace. */
export interface OwnIdentity {
  /** `B…`: by which its messages are known, also those under a sage's name. */
  readonly botId: string;
  /** What it was granted; absent where Slack does not say. */
  readonly scopes: readonly string[] | undefined;
}

export interface TurnPresenterOptions {
  readonly api: SlackApi;
  /** The workspace's own. */
  readonly pacer: Pacer;
  readonly log: Log;
  readonly identityOf: (team: string) => Promise<OwnIdentity>;
  /** How a follow-up is asked in this place; absent: nobody knows. */
  readonly followUpNote: (threadId: string) => Promise<string | undefined>;
  /** Sages speak through the bot here, because it lacks the scope for names of their own. */
  readonly onNoPersonas: (team: string, channel: string) => void;
  /** Waits before each further try of what nothing is answered to; absent: some 3 minutes in all. */
  readonly retryWaitsMs?: readonly number[];
  /** Ends the showing: from then on nothing is posted any more. */
  readonly signal: AbortSignal;
}

const personaScope: Scope = 'chat:write.customize';
const noPersonasNote = `The sages speak through the bot here, because it lacks the scope ${personaScope}.`;

/** What is at hand before anything is shown. */
export interface Opening {
  /** As the options have it, but ended with the showing. */
  readonly api: SlackApi;
  readonly turn: PresentedTurn;
  readonly options: TurnPresenterOptions;
  readonly place: SlackPlace;
  readonly patientApi: SlackApi;
  readonly retryWaitsMs: readonly number[];
  readonly poster: TurnPoster;
  readonly status: StatusLine;
  readonly hasPersonas: boolean;
  readonly state: ProgressState;
  /** Ends what is edited. */
  readonly end: AbortController;
}

/** Rejects as the options' own functions do. */
export async function prepare(
  turn: PresentedTurn,
  options: TurnPresenterOptions,
): Promise<Opening> {
  const { request } = turn;
  const { pacer, log, signal, retryWaitsMs = patientWaitsMs } = options;
  const api = whileHeld(withEnd(options.api, signal), turn);
  const place = readThreadId(request.threadId);
  const patientApi = withRepetition(api, retryWaitsMs, signal);
  const status = new StatusLine(api, place, log);
  const [{ botId, scopes }, note] = await Promise.all([
    options.identityOf(place.team),
    options.followUpNote(request.threadId),
  ]);
  // Where Slack does not say, it is tried.
  const hasPersonas = scopes?.includes(personaScope) ?? true;
  const { turnId, askedAt } = request;
  return {
    ...{ turn, options, place, api, patientApi, retryWaitsMs, status, hasPersonas },
    poster: new TurnPoster({
      ...{ api, patientApi, pacer, log, place, turnId, botId, askedAt, retryWaitsMs, signal },
    }),
    end: new AbortController(),
    state: {
      turnId,
      progress: notBegun,
      reviews: [],
      personas: new Map(),
      verdictUrl: undefined,
      notes: [...(note === undefined ? [] : [note]), ...(hasPersonas ? [] : [noPersonasNote])],
    },
  };
}
