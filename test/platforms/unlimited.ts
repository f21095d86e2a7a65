import type { PacingLimits } from '../../src/platforms/chat/pacing/call-ledger.ts';

/** Nothing is planned: what is asked for is done at once. */
export const unlimited: PacingLimits = { calls: [], editGapMs: 0 };
