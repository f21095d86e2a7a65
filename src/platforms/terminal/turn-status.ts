/** The one line that says who is doing what while a turn runs. */

import type { TurnEvent, TurnStage } from '../../council/events.ts';
import type { Palette } from './page.ts';
import type { Speakers } from './speakers.ts';

const frames = ['◐', '◓', '◑', '◒'];
const frameMs = 250;

type Doing = 'thinking' | 'writing' | 'answered' | 'failed' | 'stopped';

/** @returns E.g. `9 s`, `2 min 05 s`. */
export function elapsed(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

export class TurnStatus {
  readonly #speakers: Speakers;
  readonly #palette: Palette;
  readonly #startedAt = Date.now();
  readonly #doing = new Map<string, Doing>();
  #stage: TurnStage | undefined;
  #reviews = 0;

  constructor(speakers: Speakers, palette: Palette) {
    this.#speakers = speakers;
    this.#palette = palette;
  }

  take(event: TurnEvent): void {
    switch (event.type) {
      case 'stage_started':
        this.#stage = event.stage;
        break;
      case 'seated': {
        const seats = new Set(event.seated.seats.map(({ sage }) => sage.key));
        for (const sage of this.#doing.keys()) if (!seats.has(sage)) this.#doing.delete(sage);
        break;
      }
      case 'sage_started':
        this.#doing.set(event.sage, 'thinking');
        break;
      case 'answer_grew':
        this.#doing.set(event.sage, 'writing');
        break;
      case 'answered':
        this.#doing.set(event.answer.sage, event.answer.status);
        break;
      case 'reviewed':
        this.#reviews += 1;
        break;
    }
  }

  /** The status in several lengths, longest first. */
  forms(): readonly string[] {
    const passed = Date.now() - this.#startedAt;
    const frame = frames[Math.floor(passed / frameMs) % frames.length] ?? '';
    const { quiet } = this.#palette;
    return this.#sentences().map((sentence) => `${frame} ${quiet(elapsed(passed))}  ${sentence}`);
  }

  #sentences(): readonly string[] {
    if (this.#stage === 'reviews') {
      return [`the sages review each other, blind · ${this.#reviews} done`, 'reviews'];
    }
    if (this.#stage === 'verdict') return ['the chair weighs it all', 'the verdict'];
    if (this.#doing.size === 0) return ['the moderator seats the sages', 'seating'];
    const everyone = [...this.#doing].map(([sage, doing]) => this.#told(sage, doing));
    const busy = [...this.#doing].filter(
      ([, doing]) => doing === 'thinking' || doing === 'writing',
    );
    const count = `${this.#doing.size - busy.length} of ${this.#doing.size} done`;
    const names = busy.map(([sage]) => this.#speakers.of(sage).name).join(', ');
    return [everyone.join(this.#palette.quiet(' · ')), `${count} · ${names}`, count];
  }

  #told(sage: string, doing: Doing): string {
    const { name, place } = this.#speakers.of(sage);
    const palette = this.#palette;
    switch (doing) {
      case 'thinking':
        return `${name} ${palette.quiet('thinks')}`;
      case 'writing':
        return `${palette.seat(place)(name)} ${palette.quiet('writes')}`;
      case 'answered':
        return `${name} ${palette.good('✓')}`;
      case 'failed':
        return `${name} ${palette.bad('✗')}`;
      case 'stopped':
        return `${name} ${palette.warning('stopped')}`;
    }
  }
}
