/** A trial of a platform with a recorded council, as the task holds it, but at once. */

import { readRecording } from '../../src/app/recordings.ts';
import { recordedEvents } from '../../src/council/recording.ts';
import {
  type Finding,
  type TrialTurn,
  type TriedPlatform,
  tryPlatform,
} from '../../src/platforms/chat/live/trial.ts';
import type { Refused } from '../../src/platforms/chat/live/trial-record.ts';
import { inFull } from '../../src/platforms/chat/live/whole-council.ts';
import { atReadingSpeed } from '../../src/platforms/terminal/recorded-councils.ts';

const recorded = inFull(readRecording('father'));
const { question, turnId } = recorded.request;
const pauses = { word: 1, step: 1 };

function turn(name: string, refusing: Refused): TrialTurn {
  const goesOn = refusing === 'charts' ? { deepens: turnId } : {};
  const events = recordedEvents({ ...recorded, request: { ...recorded.request, ...goesOn } });
  return {
    name,
    question,
    refusing,
    events: (_, signal) => atReadingSpeed(events, signal, pauses),
  };
}

const turns = [
  turn('recorded', 'nothing'),
  turn('without charts', 'charts'),
  turn('plain', 'forms'),
];

export interface Report {
  readonly findings: readonly Finding[];
  /** The report as text. */
  readonly text: string;
  /** Names of what was refused. */
  readonly refused: readonly string[];
  of(name: string): Finding | undefined;
}

/** @param signal - Stops the trial; absent: nothing does. */
export async function reportOf(
  platform: TriedPlatform,
  signal: AbortSignal = new AbortController().signal,
): Promise<Report> {
  const findings: Finding[] = [];
  for await (const finding of tryPlatform(platform, turns, signal)) {
    findings.push(finding);
  }
  return {
    findings,
    text: findings.map(({ outcome, name, text }) => `${outcome} ${name}: ${text}`).join('\n'),
    refused: findings.flatMap(({ name, outcome }) => (outcome === 'refused' ? [name] : [])),
    of: (name) => findings.find((one) => one.name.includes(name)),
  };
}
