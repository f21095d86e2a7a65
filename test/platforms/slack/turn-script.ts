/** The events of one turn of two sages, as they come. */

import type { TurnEvent } from '../../../src/council/events.ts';
import {
  answered,
  answeredEnd,
  concluded,
  marcus,
  ranked,
  reviewed,
  seated,
  taleb,
} from '../terminal/turn-events.ts';

export const marcusName = '🏛️ Marcus Aurelius';
export const talebName = 'Nassim Taleb';

export const seating: readonly TurnEvent[] = [
  { type: 'stage_started', stage: 'moderator' },
  { type: 'seat_named', seat: marcus },
  { type: 'seat_named', seat: taleb },
  seated,
  { type: 'stage_started', stage: 'sages' },
];
export const answers: readonly TurnEvent[] = [
  answered('marcus_aurelius', 'Do **your** part.'),
  answered('nassim_taleb', 'Bet small.'),
];
export const outcome: readonly TurnEvent[] = [
  { type: 'stage_started', stage: 'reviews' },
  reviewed('marcus_aurelius'),
  reviewed('nassim_taleb'),
  ranked,
  { type: 'stage_started', stage: 'verdict' },
  concluded(),
  answeredEnd,
];
export const wholeTurn = [...seating, ...answers, ...outcome];
