/**
 * Tries on the real platform what tests can only try on fakes: shows turns, records every call, and reports which
 * were accepted. Everything that was posted is deleted, however the trial ends.
 */

import { text } from 'node:stream/consumers';
import type { Reply } from '../../../../commands/command.ts';
import type { TurnEvent } from '../../../council/events.ts';
import type { Log } from '../../../domain/log.ts';
import type { OpenedFile } from '../../../domain/source.ts';
import type { Review, TurnRequest } from '../../../domain/turn.ts';
import { counted, momentMark } from '../../../domain/words.ts';
import type { ConcludedTurn, Platform, PresentedTurn } from '../../platform.ts';
import type { PacingLimits } from '../pacing/call-ledger.ts';
import { PlatformRefusal } from '../pacing/platform-error.ts';
import { advance, notBegun } from '../show/turn-progress.ts';
import type { Refused, TrialRecord } from './trial-record.ts';

/** Where and how to run a trial. */
export interface TrialOptions {
  /** Id of a channel in which the bot may post. */
  readonly channel: string;
  readonly log: Log;
  /** Default: the platform's known limits. */
  readonly limits?: PacingLimits;
  /** Waits before each retry. Default: 16 s in total. */
  readonly retryWaitsMs?: readonly number[];
}

/** A turn to show. */
export interface TrialTurn {
  /** For the report, e.g. `a recorded council`. */
  readonly name: string;
  readonly question: string;
  /** @param signal - Aborted: rejects with its reason. */
  readonly events: (request: TurnRequest, signal: AbortSignal) => AsyncIterable<TurnEvent>;
  readonly refusing: Refused;
}

/** A line of the report. */
export interface Finding {
  readonly name: string;
  /** `untried`: nothing used it, or only a person can try it. */
  readonly outcome: 'works' | 'refused' | 'untried';
  /** For the operator: what happened and what to do about it. Contains no secret. */
  readonly text: string;
}

/**
 * A feature of the platform: its name, a pattern for the calls that use it, and why there may be none. The pattern
 * is matched against {@link Refused}, method and body, e.g. `nothing chat.update {"channel":"C1"}`.
 */
export type Subject = readonly [name: string, calls: RegExp, otherwise?: string];

/** A platform under trial. All methods but `look` and `clear` reject with the platform's refusal. */
export interface TriedPlatform {
  readonly subjects: readonly Subject[];
  readonly record: TrialRecord;
  readonly egress: Pick<Platform, 'present' | 'redraw' | 'post' | 'unpost'>;
  /** Connects and checks the channel. @returns Who the bot is, and where to watch. */
  begin(): Promise<string>;
  /** Creates a turn in the trial's thread, and opens that thread if there is none yet. */
  ask(question: string): Promise<TurnRequest>;
  /** Posts {@link trialReply}, and replies that only this platform has. */
  showReplies(): Promise<void>;
  /** Posts {@link trialFile} and opens it like a person's attachment. */
  openFile(signal: AbortSignal): Promise<OpenedFile>;
  /** Reads the thread and records the bot's messages. Rejects if it can't be read. */
  look(): Promise<{
    readonly ids: ReadonlySet<string>;
    /** Other observations, for people. */
    readonly seen: string;
  }>;
  /** Deletes everything. Never rejects. @returns What could not be deleted, and what only people can delete. */
  clear(): Promise<{ readonly left: readonly string[]; readonly forPeople?: string }>;
  /** What the operator can do about a refusal, if its message doesn't say. */
  fixFor(error: unknown): string | undefined;
}

export const trialFile = { name: 'trial.md', text: '# A file\n' };

export function trialReply(): Reply {
  return {
    isPrivate: false,
    blocks: [
      { type: 'text', text: `It is ${momentMark(Date.now())}.` },
      { type: 'table', header: ['sage', 'place'], rows: [['Ada', '1']] },
      { type: 'choices', choices: [{ label: 'Sages', command: 'sages' }] },
    ],
  };
}

/** Features that only a person can try. */
const byHand: readonly (readonly [name: string, how: string])[] = [
  ['forms', 'only a person can open one: try `/council config` there'],
  [
    'what people do: commands, mentions, buttons',
    'only a person can: start the bot and ask it something there',
  ],
];

const stoppedWords = 'the trial was stopped';

/** Reports what a platform accepts. Never rejects because of the platform; ends early when the signal is aborted. */
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
      yield await attempt(turn.name, async () => {
        const shown = await showWhole(platform, turn, signal);
        concluded ??= shown;
        return 'shown to its end';
      });
    }
    platform.record.refusing = 'nothing';
    yield await attempt('what follows a verdict', () => followVerdict(platform.egress, concluded));
    yield await attempt('replies of commands', () => platform.showReplies().then(() => 'shown'));
    yield await attempt('reading a file from a message', () => readFile(platform, signal));
    yield await attempt('reading back', () => readBack(platform));
    for (const subject of platform.subjects) yield findingOf(subject, platform, signal);
    for (const [name, text] of byHand) yield { name, outcome: 'untried', text };
  }
  const { left, forPeople } = await platform.clear();
  const isGone = left.length === 0;
  const result = isGone ? ['every message that was posted is gone.'] : left;
  const text = [...result, ...(forPeople === undefined ? [] : [forPeople])].join(' ');
  yield { name: 'deleting', outcome: isGone ? 'works' : 'refused', text };
}

/** Shows a turn to its end. @returns `undefined` if it ended without a verdict. */
async function showWhole(
  platform: TriedPlatform,
  turn: TrialTurn,
  signal: AbortSignal,
): Promise<ConcludedTurn | undefined> {
  let progress = notBegun;
  const reviews: Review[] = [];
  async function* events(request: TurnRequest): AsyncGenerator<TurnEvent> {
    for await (const event of turn.events(request, signal)) {
      signal.throwIfAborted();
      progress = advance(progress, event);
      if (event.type === 'reviewed') reviews.push(event.review);
      yield event;
    }
  }
  platform.record.refusing = turn.refusing;
  const request = await platform.ask(turn.question);
  await platform.egress.present(trialPresentation(request), events(request), signal);
  signal.throwIfAborted();
  const { end, verdict, seats, ranked } = progress;
  if (end?.outcome !== 'answered') {
    throw new Error(end?.explanation || 'It broke off; the log says why.');
  }
  return verdict && { request, verdict, seats, reviews, followed: [], ...(ranked && { ranked }) };
}

/** Tries the actions after a verdict. Ignores the signal, so that no post is left. */
async function followVerdict(
  after: TriedPlatform['egress'],
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
  return 'redrawn after use, posted to the channel, found there and deleted';
}

async function readFile(platform: TriedPlatform, signal: AbortSignal): Promise<string> {
  const opened = await platform.openFile(signal);
  if (opened.status === 'withheld') throw new Error(`It can’t be read: ${opened.why}.`);
  if ((await text(opened.stream)) !== trialFile.text) {
    throw new Error('The file was read with different content.');
  }
  return 'posted and read back';
}

async function readBack(platform: TriedPlatform): Promise<string> {
  const posted = platform.record.ids('Message');
  const { ids, seen } = await platform.look();
  const missing = posted.filter((id) => !ids.has(id)).length;
  const { length: size } = posted;
  if (missing > 0) throw new Error(`${missing} of ${size} messages are not in the thread.`);
  return `all ${size} messages are there; ${seen}`;
}

function findingOf(
  [name, shows, otherwise]: Subject,
  platform: TriedPlatform,
  { aborted }: AbortSignal,
) {
  const calls = platform.record.calls.filter(({ line }) => shows.test(line));
  const refused = calls.filter(({ error }) => error !== undefined);
  const [first] = refused;
  if (first) {
    const share = `${refused.length} of ${counted(calls.length, 'call')}`;
    const why = refusalText(platform, first.error);
    return { name, outcome: 'refused', text: `${share} refused. ${why}` } as const;
  }
  if (calls.length > 0) {
    return { name, outcome: 'works', text: `accepted, ${counted(calls.length, 'call')}` } as const;
  }
  const why = otherwise ?? 'nothing used it; see above';
  return { name, outcome: 'untried', text: aborted ? stoppedWords : why } as const;
}

function refusalText(platform: TriedPlatform, error: unknown): string {
  // People are told in words why a turn can't be shown; its cause is what the platform said.
  const refusal =
    error instanceof Error && error.cause instanceof PlatformRefusal ? error.cause : error;
  const fix = platform.fixFor(refusal);
  const said = refusal instanceof Error ? refusal.message : String(refusal);
  return fix === undefined ? said : `${said} ${fix}`;
}

/** A turn that no other process can take over. */
function trialPresentation(request: TurnRequest): PresentedTurn {
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
