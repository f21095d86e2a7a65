/**
 * Tries on a platform itself what tests can only try on a stand-in: turns are shown, every call is noted, and
 * the report is read from the notes. What was posted is deleted, however the trial ends.
 */

import { text } from 'node:stream/consumers';
import type { TurnEvent } from '../../../council/events.ts';
import type { OpenedFile } from '../../../domain/source.ts';
import type { TurnRequest } from '../../../domain/turn.ts';
import { counted } from '../../../domain/words.ts';
import type { ConcludedTurn, Platform, PresentedTurn } from '../../platform.ts';
import { PlatformRefusal, SetupError, UnansweredError } from '../pacing/platform-error.ts';

/** A turn to be shown. */
export interface TrialTurn {
  /** For the report, e.g. `a recorded council`. */
  readonly name: string;
  readonly question: string;
  /** @param signal - Ends it: what is read then rejects with the signal's reason. */
  readonly events: (request: TurnRequest, signal: AbortSignal) => AsyncIterable<TurnEvent>;
  readonly refusing: Refused;
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
export interface TriedPlatform {
  readonly subjects: readonly Subject[];
  readonly notes: CallNotes;
  /** Posts what all else hangs on. @returns Who the bot is, and where to watch. */
  begin(): Promise<string>;
  show(turn: TrialTurn, signal: AbortSignal): Promise<void>;
  readonly afterVerdict: Pick<Platform, 'redraw' | 'post' | 'unpost'>;
  /** Posts what stands beside turns, e.g. replies of commands. */
  showReplies(): Promise<void>;
  /** Posts {@link trialFile} and opens it, as a file that a person has attached. */
  openFile(signal: AbortSignal): Promise<OpenedFile>;
  /** Reads what was posted. @returns What was found, for people; throws when something is missing. */
  readBack(): Promise<string>;
  /** Deletes all that was posted. Never rejects. */
  clear(): Promise<Cleared>;
  /** What the operator can do about a refusal; absent: its message says it. */
  fixFor(error: unknown): string | undefined;
}

export const trialFile = { name: 'trial.md', text: '# A file\n' };

const stoppedWords = 'the trial was stopped';

/** Tells what a platform takes. Never rejects for what the platform does; the signal cuts it short. */
export async function* tryPlatform(
  platform: TriedPlatform,
  turns: readonly TrialTurn[],
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const attempt = async (name: string, work: () => Promise<string>): Promise<Finding> => {
    try {
      signal.throwIfAborted();
      return { name, outcome: 'works', text: await work() };
    } catch (error) {
      if (signal.aborted) return { name, outcome: 'untried', text: stoppedWords };
      return { name, outcome: 'refused', text: refusalText(platform, error) };
    }
  };
  const beginning = await attempt('bot and channel', () => platform.begin());
  yield beginning;
  if (beginning.outcome === 'works') {
    let concluded: ConcludedTurn | undefined;
    for (const turn of turns) {
      platform.notes.refusing = turn.refusing;
      yield await attempt(turn.name, async () => {
        const shown = await showWhole(platform, turn, signal);
        concluded ??= shown;
        return 'shown to its end';
      });
    }
    platform.notes.refusing = 'nothing';
    yield await attempt('what follows a verdict', () =>
      followVerdict(platform.afterVerdict, concluded),
    );
    yield await attempt('replies of commands', async () => {
      await platform.showReplies();
      return 'shown';
    });
    yield await attempt('reading a file from a message', () => readFile(platform, signal));
    yield await attempt('reading back', () => platform.readBack());
    for (const subject of platform.subjects) {
      const isCutShort = signal.aborted && subject.isIn !== undefined;
      const otherwise = isCutShort ? stoppedWords : subject.otherwise;
      yield findingOf({ ...subject, otherwise }, platform);
    }
  }
  await platform.notes.settled();
  const { left, forPeople } = await platform.clear();
  const isGone = left.length === 0;
  const told = isGone ? ['every message that was posted is gone.'] : left;
  const said = [...told, ...forPeople].join(' ');
  yield { name: 'deleting', outcome: isGone ? 'works' : 'refused', text: said };
}

/** @returns What is known of it; absent where it was answered without a verdict. */
async function showWhole(
  platform: TriedPlatform,
  turn: TrialTurn,
  signal: AbortSignal,
): Promise<ConcludedTurn | undefined> {
  const told: TurnEvent[] = [];
  let concluded: ConcludedTurn | undefined;
  async function* events(request: TurnRequest): AsyncGenerator<TurnEvent> {
    for await (const event of turn.events(request, signal)) {
      signal.throwIfAborted();
      told.push(event);
      yield event;
    }
    concluded = concludedOf(request, told);
  }
  await platform.show({ ...turn, events }, signal);
  signal.throwIfAborted();
  const end = told.find((event) => event.type === 'ended')?.end;
  if (end?.outcome === 'answered') return concluded;
  throw new Error(end?.explanation || 'It broke off; the log says why.');
}

function concludedOf(request: TurnRequest, told: readonly TurnEvent[]): ConcludedTurn | undefined {
  const verdict = told.find((event) => event.type === 'concluded')?.verdict;
  const ranked = told.find((event) => event.type === 'ranked');
  const seats = told.flatMap((event) => (event.type === 'seated' ? event.seated.seats : []));
  const reviews = told.flatMap((event) => (event.type === 'reviewed' ? [event.review] : []));
  return verdict && { request, verdict, seats, reviews, followed: [], ...(ranked && { ranked }) };
}

/** Runs to its end although the trial ends, so that no post is left. */
async function followVerdict(
  after: TriedPlatform['afterVerdict'],
  turn: ConcludedTurn | undefined,
): Promise<string> {
  if (!turn) throw new Error('No verdict was shown.');
  const { request, seats } = turn;
  const at = request.askedAt;
  const sage = seats[0]?.sage.key;
  const followed = { turnId: crypto.randomUUID(), suggestion: 0, ...(sage && { sage }) };
  await after.redraw({ ...turn, followed: [followed] });
  const posts: (string | undefined)[] = [];
  try {
    posts.push(await after.post(turn));
    posts.push(await after.post({ ...turn, posted: { at } }));
    const [post, again] = posts;
    if (post !== again)
      throw new Error('A verdict in the channel was not found, and posted twice.');
    await after.redraw({ ...turn, posted: { at, ...(post !== undefined && { post }) } });
  } finally {
    for (const post of new Set(posts)) {
      await after.unpost({ request, posted: { at, ...(post !== undefined && { post }) } });
    }
  }
  return 'drawn again with what was done, posted to the channel, found there and taken back';
}

async function readFile(platform: TriedPlatform, signal: AbortSignal): Promise<string> {
  const opened = await platform.openFile(signal);
  if (opened.status === 'withheld') throw new Error(`It can’t be read: ${opened.why}.`);
  if ((await text(opened.stream)) !== trialFile.text) {
    throw new Error('What was read is not what was posted.');
  }
  return 'posted, and read as it was';
}

function findingOf({ name, isIn, otherwise }: Subject, platform: TriedPlatform): Finding {
  const calls = isIn ? platform.notes.calls.filter(isIn) : [];
  const refused = calls.filter(({ error }) => error !== undefined);
  const [first] = refused;
  if (first) {
    const share = `${refused.length} of ${counted(calls.length, 'call')}`;
    const why = refusalText(platform, first.error);
    return { name, outcome: 'refused', text: `${share} refused. ${why}` };
  }
  if (calls.length === 0) return { name, outcome: 'untried', text: otherwise };
  return { name, outcome: 'works', text: `taken, ${counted(calls.length, 'call')}` };
}

function refusalText(platform: TriedPlatform, error: unknown): string {
  // A turn that can't be shown says so to people; what was refused is its cause.
  const cause = error instanceof Error ? error.cause : undefined;
  const fix = platform.fixFor(error) ?? platform.fixFor(cause);
  const said = error instanceof Error ? error.message : String(error);
  return fix === undefined ? said : `${said} ${fix}`;
}

/** A turn of this process alone: no other process takes it over or hears of it. */
export function trialPresentation(request: TurnRequest): PresentedTurn {
  return {
    request,
    isResumed: false,
    followUpMode: 'mention',
    wasAsked: async () => false,
    wantsPing: async () => true,
    keepShownAt: async () => undefined,
    assertHeld: async () => undefined,
    assertNotLost: async () => undefined,
    assertAwake: async () => undefined,
  };
}

/** What is refused before it is sent, so that the plainer form in its place is tried. */
export type Refused = 'nothing' | 'charts' | 'forms';

export interface TriedCall {
  /** The platform's own name for it, e.g. `chat.startStream`. */
  readonly name: string;
  /** As JSON; for recognising the call, never for the report. */
  readonly sent: string;
  readonly refusing: Refused;
  /** Absent: the platform took it. */
  readonly error?: Error;
}

export class CallNotes {
  readonly #calls: TriedCall[] = [];
  readonly #underWay = new Set<Promise<unknown>>();
  refusing: Refused = 'nothing';

  get calls(): readonly TriedCall[] {
    return this.#calls;
  }

  /** Makes a call and notes it. Limits of the platform are no refusal: such a call is made again. */
  async note<Answer>(name: string, sent: unknown, make: () => Promise<Answer>): Promise<Answer> {
    const call = { name, sent: JSON.stringify(sent) ?? '', refusing: this.refusing };
    const made = make();
    this.#underWay.add(made);
    try {
      const answer = await made;
      this.#calls.push(call);
      return answer;
    } catch (error) {
      if (isSaid(error)) this.#calls.push({ ...call, error });
      throw error;
    } finally {
      this.#underWay.delete(made);
    }
  }

  /** Resolves when no call is under way, whatever still waits for it. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }
}

/** Whether an error is what the platform said, and not e.g. the end of the trial. */
function isSaid(error: unknown): error is Error {
  return [PlatformRefusal, SetupError, UnansweredError].some((kind) => error instanceof kind);
}
