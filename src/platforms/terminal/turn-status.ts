/** The one line that says who is doing what while a turn runs. */

import type { SeatState, TurnProgress } from '../chat/show/turn-progress.ts';
import type { Palette } from './page.ts';
import type { Speakers } from './speakers.ts';

const frames = ['◐', '◓', '◑', '◒'];
const frameMs = 250;

/**
 * The status in several lengths, longest first.
 *
 * @param passedMs - Since the turn began.
 */
export function statusForms(
  progress: TurnProgress,
  passedMs: number,
  speakers: Speakers,
  palette: Palette,
): readonly string[] {
  const frame = frames[Math.floor(passedMs / frameMs) % frames.length] ?? '';
  const begin = `${frame} ${palette.quiet(elapsed(passedMs))}  `;
  return sentences(progress, speakers, palette).map((sentence) => `${begin}${sentence}`);
}

/** @returns E.g. `9 s`, `2 min 05 s`. */
export function elapsed(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

function sentences(
  { stage, states, reviewers, rebutted, recast }: TurnProgress,
  speakers: Speakers,
  palette: Palette,
): readonly string[] {
  if (stage === 'reviews') {
    return [`the sages review each other, blind · ${reviewers.length} done`, 'reviews'];
  }
  if (stage === 'docket') return ['the answers are searched for contradictions', 'contradictions'];
  if (stage === 'rebuttals') {
    return [`those in dispute answer each other · ${rebutted.length} done`, 'rebuttals'];
  }
  if (stage === 'second_ballots') {
    return [`the sages vote again, in secret · ${recast.length} done`, 'second ballots'];
  }
  if (stage === 'verdict') return ['the chair weighs it all', 'the verdict'];
  if (states.size === 0) return ['the moderator seats the sages', 'seating'];
  const everyone = [...states].map(([sage, { doing }]) => told(doing, sage, speakers, palette));
  const busy = [...states].filter(([, { doing }]) => doing === 'thinking' || doing === 'answering');
  const count = `${states.size - busy.length} of ${states.size} done`;
  const names = busy.map(([sage]) => speakers.of(sage).name).join(', ');
  return [everyone.join(palette.quiet(' · ')), `${count} · ${names}`, count];
}

function told(
  doing: SeatState['doing'],
  sage: string,
  speakers: Speakers,
  palette: Palette,
): string {
  const { name, place } = speakers.of(sage);
  switch (doing) {
    case 'waiting':
      return name;
    case 'thinking':
      return `${name} ${palette.quiet('thinks')}`;
    case 'answering':
      return `${palette.seat(place)(name)} ${palette.quiet('writes')}`;
    case 'answered':
      return `${name} ${palette.good('✓')}`;
    case 'failed':
      return `${name} ${palette.bad('✗')}`;
    case 'stopped':
      return `${name} ${palette.warning('stopped')}`;
  }
}
