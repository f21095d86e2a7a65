import { describe, expect, test } from 'vitest';
import { createInlineBackground } from '../../src/queue/inline-background.ts';
import { createInlineQuotas } from '../../src/queue/inline-quotas.ts';
import { createInlineStopRequests } from '../../src/queue/inline-stop-requests.ts';
import type { Quotas } from '../../src/queue/quotas.ts';
import { backgroundCases } from '../contracts/background.ts';
import { quotasCases } from '../contracts/quotas.ts';
import { stopRequestsCases } from '../contracts/stop-requests.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('quotas of one process', () => {
  test.each(quotasCases)('$name', async (quotasCase) => {
    const quotas = createInlineQuotas();
    await quotasCase.run(async () => quotas);
  });

  test('a contract that is not kept is noticed', async () => {
    const quotas = createInlineQuotas();
    const forgetful: Quotas = {
      take: (holder, claims, leaseMs) => quotas.take(`${holder} ${Math.random()}`, claims, leaseMs),
      keep: (holder, leaseMs) => quotas.keep(holder, leaseMs),
      release: (holder) => quotas.release(holder),
    };
    const kept = quotasCases.find(({ name }) => name === 'gives back all that a holder has');
    await expect(kept?.run(async () => forgetful)).rejects.toThrow();
  });
});

describe('requests to stop within one process', () => {
  test.each(stopRequestsCases)('$name', async (stopCase) => {
    const stops = createInlineStopRequests();
    await stopCase.run(async () => stops);
  });
});

describe('background work of one process', () => {
  test.each(backgroundCases)('$name', async (backgroundCase) => {
    await backgroundCase.run(async () => createInlineBackground(silent));
  });
});
