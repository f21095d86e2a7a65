/** What the status line says, to follow the app's name. */

import type { TurnProgress } from '../../chat/show/turn-progress.ts';
import { unseenSpace } from '../../chat/text/visible-text.ts';
import type { Personas } from './persona.ts';
import { nameOf } from './progress-message.ts';

const mostNames = 3;

/** @returns The status, and what is shown by turns while nothing changes. */
export function statusOf(
  { stage, seats, seated }: TurnProgress,
  personas: Personas,
): readonly [status: string, loadingMessages: readonly string[]] {
  const names = seats.map(({ sage }) => inert(nameOf(sage.key, personas)));
  switch (stage) {
    case undefined:
    case 'moderator':
      return names.length === 0
        ? ['is seating the sages…', ['Reads the question…', 'Chooses who fits…']]
        : [`is seating ${listed(names)}…`, names.map((name) => `Seats ${name}…`)];
    case 'sages':
      return seated
        ? [`is hearing ${listed(names)}…`, names.map((name) => `${name} thinks…`)]
        : [`is seating ${listed(names)}…`, names.map((name) => `Seats ${name}…`)];
    case 'reviews':
      return ['is reviewing the answers…', ['The sages review each other, blind…']];
    case 'verdict':
      return ['is weighing it all…', ['The chair weighs it all…']];
  }
}

/** Whether Slack reads its own marks here is not known, and an escape would be seen if it does not. */
function inert(name: string): string {
  return name.replaceAll('<', `<${unseenSpace}`);
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, mostNames).join(', ');
  const more = names.length - mostNames;
  return more > 0 ? `${shown} and ${more} more` : shown;
}
