import type { TurnEvent } from '../../../src/council/events.ts';
import { english } from '../../../src/domain/languages/english.ts';
import { type Page, paletteFor, type Status } from '../../../src/platforms/terminal/page.ts';
import { showTurn } from '../../../src/platforms/terminal/show-turn.ts';
import { told } from './turn-events.ts';

/** A page that keeps what is written on it; `tails` are the unfinished lines it has shown, one text each time. */
export function recordedPage(isLive: boolean) {
  const lines: string[] = [];
  const tails: string[] = [];
  let status: Status | undefined;
  const page: Page = {
    isLive,
    printsStages: false,
    takesCommands: isLive,
    width: isLive ? 40 : Infinity,
    palette: paletteFor(false),
    print: (more) => void lines.push(...more),
    setTail: (rows) => void tails.push(rows.join('\n')),
    setStatus: (next) => {
      status = next;
    },
  };
  return {
    page,
    tails,
    get text() {
      return lines.join('\n');
    },
    get status() {
      return status?.();
    },
  };
}

/** What is on the page once a turn is told. */
export async function shown(events: readonly TurnEvent[], { isLive }: { isLive: boolean }) {
  const recorded = recordedPage(isLive);
  const end = await showTurn(told(...events), recorded.page, english);
  return { text: recorded.text, tails: recorded.tails, status: recorded.status, end };
}
