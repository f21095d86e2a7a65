/** Reads what people were saying around a question, once, before its turn asks any model. */

import type { PastTurn, TurnStep } from '../../council/past-turn.ts';
import type { Heard, HearingLimits } from '../../domain/heard.ts';
import type { Log } from '../../domain/log.ts';
import { channelOf } from '../../domain/thread-id.ts';
import { noteHeard } from '../../memory/forgetting/heard.ts';
import type { Platform } from '../../platforms/platform.ts';
import type { Store, TurnRecord } from '../../store/store.ts';
import { within } from '../../waiting.ts';
import type { HeldTurn } from './held-turn.ts';

/** No question waits longer for what people were saying. */
const hearWithinMs = 5000;

export interface HearingOptions {
  readonly store: Pick<Store, 'settings'>;
  readonly platform: Pick<Platform, 'hear'>;
  readonly hearing: HearingLimits;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * What the turn hears, kept with it. A platform that fails or is late costs the turn its words and not
 * its answer; one that nobody wants any more, or that is left to be resumed, hears nothing. Throws what the
 * store throws.
 */
export async function hearFor(
  {
    record,
    past,
    held,
    log,
  }: {
    readonly record: TurnRecord;
    readonly past: PastTurn;
    readonly held: Pick<HeldTurn, 'checkpoint'>;
    readonly log: Log;
  },
  { store, platform, hearing, now }: HearingOptions,
  signal: AbortSignal,
): Promise<Heard | undefined> {
  const { request, heard: known } = past;
  if (known?.isWhole || request.hears === undefined || hearing.contextMessages === 0) return known;
  const enough = new AbortController();
  const reading = platform.hear(request, known, hearing, enough.signal);
  const found = await within(reading, { ms: hearWithinMs, signal }).catch((error: unknown) => {
    if (!signal.aborted) log.warn({ error }, 'what people were saying could not be read');
    return undefined;
  });
  enough.abort(new Error('The turn goes on without what was not read in time.'));
  reading.catch(() => undefined);
  if (signal.aborted) return known;
  const heard: Heard = {
    ...(found ?? { ...(known ?? nothingOf(record, request.hears)), gap: notNow }),
    isWhole: true,
  };
  await noteHeard(store, record, heard, now);
  const { turnId, threadId, attempt } = record;
  const step = { kind: 'heard', key: '', data: heard } satisfies TurnStep;
  await held.checkpoint({ turnId, threadId, attempt, steps: [asStored(step)] });
  return heard;
}

const notNow = 'The conversation could not be read at the moment.';

function nothingOf({ threadId }: TurnRecord, of: Heard['of']): Heard {
  return { place: channelOf(threadId), of, messages: [], leftOut: 0 };
}

/** As a step of a turn is stored. */
export function asStored({ data, ...step }: Extract<TurnStep, { kind: 'heard' }>) {
  return { ...step, data: { ...data, messages: data.messages.map((one) => ({ ...one })) } };
}
