import { type Page, paletteFor, type StatusForms } from '../../../src/platforms/terminal/page.ts';

/** A page that keeps what is written on it; `tails` are the unfinished lines it has shown. */
export function recordedPage(isLive: boolean) {
  const lines: string[] = [];
  const tails: string[] = [];
  let status: StatusForms | undefined;
  const page: Page = {
    isLive,
    width: isLive ? 40 : Infinity,
    palette: paletteFor(false),
    print: (more) => void lines.push(...more),
    setTail: (tail) => void tails.push(tail),
    setStatus: (forms) => {
      status = forms;
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
