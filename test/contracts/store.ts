/** What every store must do, whatever it keeps its records in. */

import { describe, test } from 'vitest';
import type { StoreCase, StoreFixture } from './store/case.ts';
import { checkpointCases } from './store/checkpoints.ts';
import { claimCases } from './store/claims.ts';
import { expiryCases } from './store/expiry.ts';
import { forgettingCases } from './store/forgetting.ts';
import { memoryReadingCases } from './store/memory-reading.ts';
import { memoryShardCases } from './store/memory-shards.ts';
import { memoryVectorCases } from './store/memory-vectors.ts';
import { messageCases } from './store/messages.ts';
import { oddIdCases } from './store/odd-ids.ts';
import { recentCases } from './store/recent.ts';
import { retentionCases } from './store/retention.ts';
import { settingsCases } from './store/settings.ts';
import { spendingCases } from './store/spending.ts';
import { threadCases } from './store/threads.ts';
import { turnCases } from './store/turns.ts';

export type { StoreCase, StoreFixture } from './store/case.ts';

export const storeCases: readonly StoreCase[] = [
  ...turnCases,
  ...checkpointCases,
  ...messageCases,
  ...recentCases,
  ...oddIdCases,
  ...threadCases,
  ...memoryReadingCases,
  ...memoryShardCases,
  ...memoryVectorCases,
  ...forgettingCases,
  ...settingsCases,
  ...claimCases,
  ...spendingCases,
  ...expiryCases,
  ...retentionCases,
];

/**
 * Runs the contract over a backend.
 *
 * @param name - Of the backend, e.g. `SQLite`.
 * @param makeFixture - Makes an empty fixture for one case; it is removed after the case.
 */
export function storeContract(name: string, makeFixture: () => Promise<StoreFixture>): void {
  describe(`${name} as a store`, () => {
    for (const storeCase of storeCases) {
      test(storeCase.name, () => runStoreCase(storeCase, makeFixture));
    }
  });
}

/** Runs one case over a new fixture. Throws what the case throws. */
export async function runStoreCase(
  storeCase: StoreCase,
  makeFixture: () => Promise<StoreFixture>,
): Promise<void> {
  const fixture = await makeFixture();
  try {
    await storeCase.run(fixture);
  } finally {
    await fixture.remove();
  }
}
