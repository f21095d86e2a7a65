/**
 * Tries on a platform itself what tests can only try on a stand-in: turns are shown, every call is noted, and
 * the report is read from the notes. What was posted is deleted, however the trial ends.
 */

import type { TurnEnd, TurnEvent } from '../../../council/events.ts';
import type { TurnRequest } from '../../../domain/turn.ts';
import { counted } from '../../../domain/words.ts';
import type { PresentedTurn } from '../../platform.ts';
import type { CallNotes, TriedCall } from './call-notes.ts';

/** A turn to be shown. */
export interface TrialTurn {
  /** For the report, e.g. `a recorded council`. */
  readonly name: string;
  readonly question: string;
  /** @param signal - Ends it: what is read then rejects with the signal's reason. */
  readonly events: (request: TurnRequest, signal: AbortSignal) => AsyncIterable<TurnEvent>;
  /** Every form that has a plainer one is refused before it is sent. */
  readonly isPlain: boolean;
}

/** A line of the report. */
export interface Finding {
  readonly name: string;
  /** `untried`: nothing called for it, or only a person can try it. */
  readonly outcome: 'works' | 'refused' | 'untried';
  /** For the operator: what was seen, and what to do about it. Holds no secret. */
  readonly text: string;
}

/** Something that the platform has to take, known by its calls. */
export interface Subject {
  readonly name: string;
  /** Absent: only a person can try it. */
  readonly isIn?: (call: TriedCall) => boolean;
  /** Why no call may have shown it, or how to try it by hand. */
  readonly otherwise: string;
}

/** What came of deleting, for people; no sentences without anything. */
export interface Cleared {
  /** What is left and should not be. */
  readonly left: readonly string[];
  /** What the bot is not meant to be able to delete. */
  readonly forPeople: readonly string[];
}

/** A platform, as it is tried. All but `clear` reject as the platform refuses it. */
export interface Ground {
  readonly subjects: readonly Subject[];
  readonly notes: CallNotes;
  /** Posts what all else hangs on. @returns Who the bot is, and where to watch. */
  begin(): Promise<string>;
  show(turn: TrialTurn, signal: AbortSignal): Promise<void>;
  /** Posts what stands beside turns: replies of commands, files. */
  showReplies(): Promise<void>;
  /** Reads what was posted. @returns What was found, for people; throws when something is missing. */
  readBack(): Promise<string>;
  /** Deletes all that was posted. Never rejects. */
  clear(): Promise<Cleared>;
  /** What the operator can do about a refusal; absent: its message says it. */
  mendOf(error: unknown): string | undefined;
}

const stoppedWords = 'the trial was stopped';

/** Tells what a platform takes. Never rejects for what the platform does; the signal cuts it short. */
export async function* tryGround(
  ground: Ground,
  turns: readonly TrialTurn[],
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const attempt = async (name: string, work: () => Promise<string>): Promise<Finding> => {
    try {
      signal.throwIfAborted();
      return { name, outcome: 'works', text: await work() };
    } catch (error) {
      if (signal.aborted) return { name, outcome: 'untried', text: stoppedWords };
      return { name, outcome: 'refused', text: refusalText(ground, error) };
    }
  };
  const beginning = await attempt('bot and channel', () => ground.begin());
  yield beginning;
  if (beginning.outcome === 'works') {
    for (const turn of turns) {
      ground.notes.isPlain = turn.isPlain;
      yield await attempt(turn.name, () => showWhole(ground, turn, signal));
    }
    ground.notes.isPlain = false;
    yield await attempt('replies of commands', async () => {
      await ground.showReplies();
      return 'shown';
    });
    yield await attempt('reading back', () => ground.readBack());
    for (const subject of ground.subjects) {
      const isCutShort = signal.aborted && subject.isIn !== undefined;
      const otherwise = isCutShort ? stoppedWords : subject.otherwise;
      yield findingOf({ ...subject, otherwise }, ground);
    }
  }
  await ground.notes.settled();
  const { left, forPeople } = await ground.clear();
  const isGone = left.length === 0;
  const told = isGone ? ['every message that was posted is gone.'] : left;
  const text = [...told, ...forPeople].join(' ');
  yield { name: 'deleting', outcome: isGone ? 'works' : 'refused', text };
}

async function showWhole(ground: Ground, turn: TrialTurn, signal: AbortSignal): Promise<string> {
  let end: TurnEnd | undefined;
  async function* events(request: TurnRequest): AsyncGenerator<TurnEvent> {
    for await (const event of turn.events(request, signal)) {
      signal.throwIfAborted();
      if (event.type === 'ended') end = event.end;
      yield event;
    }
  }
  await ground.show({ ...turn, events }, signal);
  signal.throwIfAborted();
  if (end?.outcome === 'answered') return 'shown to its end';
  throw new Error(end?.explanation || 'It broke off; the log says why.');
}

function findingOf({ name, isIn, otherwise }: Subject, ground: Ground): Finding {
  const calls = isIn ? ground.notes.calls.filter(isIn) : [];
  const refused = calls.filter(({ error }) => error !== undefined);
  const [first] = refused;
  if (first) {
    const share = `${refused.length} of ${counted(calls.length, 'call')}`;
    const text = `${share} refused. ${refusalText(ground, first.error)}`;
    return { name, outcome: 'refused', text };
  }
  if (calls.length === 0) return { name, outcome: 'untried', text: otherwise };
  return { name, outcome: 'works', text: `taken, ${counted(calls.length, 'call')}` };
}

function refusalText(ground: Ground, error: unknown): string {
  // A turn that can't be shown says so to people; what was refused is its cause.
  const cause = error instanceof Error ? error.cause : undefined;
  const mend = ground.mendOf(error) ?? ground.mendOf(cause);
  const said = error instanceof Error ? error.message : String(error);
  return mend === undefined ? said : `${said} ${mend}`;
}

/** A turn of this process alone, which nobody else may take over and nobody is told of. */
export function trialPresentation(request: TurnRequest): PresentedTurn {
  return {
    request,
    isResumed: false,
    followUpMode: 'mention',
    wasAsked: async () => false,
    wantsPing: async () => true,
    keepPlace: async () => undefined,
    assertHeld: async () => undefined,
    assertNotLost: async () => undefined,
  };
}
