/** Reads what people were saying around a question, and showing with it, once, before its turn asks any model. */

import type { PastTurn, TurnStep } from '../../council/past-turn.ts';
import type { Heard, ReadingLimits } from '../../domain/heard.ts';
import type { Log } from '../../domain/log.ts';
import { channelOf } from '../../domain/thread-id.ts';
import { heardAsJson, noteHeard } from '../../memory/forgetting/heard.ts';
import type { Platform } from '../../platforms/platform.ts';
import type { ChannelSettings } from '../../settings/channel-settings.ts';
import type { MayConnect } from '../../sources/sources.ts';
import type { Store, TurnRecord } from '../../store/store.ts';
import { within } from '../../waiting.ts';
import type { Channel } from '../places/channels.ts';
import type { HeldTurn } from './held-turn.ts';
import { isPointing, picturesAgain, type Read, readIn, withLinks } from './reading.ts';

/** No question waits longer for what people were saying. */
const hearWithinMs = 5000;

export interface HearingOptions {
  readonly store: Pick<Store, 'settings'>;
  readonly platform: Pick<Platform, 'hear' | 'openFile' | 'linkTo'>;
  readonly hearing: ReadingLimits;
  /** The operator's. */
  readonly settings: Pick<ChannelSettings, 'retentionDays'>;
  /** See {@link ReadingOptions}. */
  readonly mayConnect?: MayConnect | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A turn, and the channel whose settings hold for it. */
interface HearingTurn {
  readonly record: TurnRecord;
  readonly past: PastTurn;
  readonly channel: Pick<Channel, 'settings'>;
  readonly held: Pick<HeldTurn, 'checkpoint'>;
  readonly log: Log;
}

/**
 * What the turn hears, kept with it, and the pictures among it. A platform that fails or is late costs the turn its
 * words and not its answer; one that was stopped, or that is left to be resumed, hears nothing. Throws what
 * the store throws.
 */
export async function hearFor(
  turn: HearingTurn,
  options: HearingOptions,
  signal: AbortSignal,
): Promise<Partial<Read>> {
  const { record, past, held } = turn;
  const { request, heard: known } = past;
  const { store, platform, settings, now } = options;
  const reading = { ...options, allowed: turn.channel.settings };
  try {
    if (known?.isWhole) {
      return { heard: known, pictures: await picturesAgain(known, reading, signal) };
    }
    const around = await hearAround(turn, options, signal);
    const heard = withLinks(around, request, platform);
    if (!heard || (around === known && !isPointing(heard))) return heard ? { heard } : {};
    const read = await readIn({ ...heard, isWhole: true }, request, reading, signal);
    const { retentionDays } = settings;
    await noteHeard(store, record, read.heard, { now, retentionDays });
    const { turnId, threadId, attempt } = record;
    const step = { kind: 'heard', key: '', data: read.heard } satisfies TurnStep;
    await held.checkpoint({ turnId, threadId, attempt, steps: [asStored(step)] });
    return read;
  } catch (error) {
    if (!signal.aborted) throw error;
    return known ? { heard: known } : {};
  }
}

/** What people were saying; what came with the question where nothing is to be read around it. */
async function hearAround(
  { record, past, log }: HearingTurn,
  { platform, hearing }: HearingOptions,
  signal: AbortSignal,
): Promise<Heard | undefined> {
  const { request, heard: known } = past;
  if (request.hears === undefined || hearing.contextMessages === 0) return known;
  const enough = new AbortController();
  const reading = platform.hear(request, known, hearing, enough.signal);
  const found = await within(reading, { ms: hearWithinMs, signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    log.warn({ error }, 'the surrounding conversation could not be read');
    return undefined;
  });
  enough.abort(new Error('The turn continues without the messages that were not read in time.'));
  reading.catch(() => undefined);
  signal.throwIfAborted();
  return found ?? { ...(known ?? nothingOf(record, request.hears)), gap: notNow };
}

const notNow = 'The conversation can’t be read right now.';

function nothingOf({ threadId }: TurnRecord, of: Heard['of']): Heard {
  return { place: channelOf(threadId), of, messages: [], leftOut: 0 };
}

/** As a step of a turn is stored. */
export function asStored({ data, ...step }: Extract<TurnStep, { kind: 'heard' }>) {
  return { ...step, data: heardAsJson(data) };
}
