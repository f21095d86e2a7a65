import { describe, expect, test } from 'vitest';
import { silentLog } from '../../../src/domain/log.ts';
import type { Quotas, Semaphores } from '../../../src/queue/coordination.ts';
import {
  createInlineCoordination,
  createInlineStopRequests,
  InlineQuotas,
  InlineSemaphores,
} from '../../../src/queue/inline/inline-coordination.ts';
import { quotasCases } from '../../contracts/quotas.ts';
import { semaphoreCases } from '../../contracts/semaphores.ts';
import { stopRequestsCases } from '../../contracts/stop-requests.ts';

describe('quotas of one process', () => {
  test.each(quotasCases)('$name', async (quotasCase) => {
    const quotas = new InlineQuotas();
    await quotasCase.run(async () => quotas);
  });

  test('a contract that is not kept is noticed', async () => {
    const quotas = new InlineQuotas();
    const forgetful: Quotas = {
      take: (holder, claims, leaseMs) => quotas.take(`${holder} ${Math.random()}`, claims, leaseMs),
      keep: (holder, leaseMs) => quotas.keep(holder, leaseMs),
      release: (holder) => quotas.release(holder),
    };
    const kept = quotasCases.find(({ name }) => name === 'gives back all that a holder has');
    await expect(kept?.run(async () => forgetful)).rejects.toThrow();
  });
});

test('the quotas of turns that an earlier process left are lost', async () => {
  const left = [{ turnId: 'one', threadId: 'p:local:main' }];
  const { unreserved } = createInlineCoordination({
    concurrency: 1,
    tries: 1,
    willPass: () => false,
    log: silentLog,
    unfinished: async () => left,
  });
  expect(await unreserved()).toEqual(left);
});

describe('semaphores of one process', () => {
  test.each(semaphoreCases)('$name', async (semaphoreCase) => {
    const semaphores = new InlineSemaphores();
    await semaphoreCase.run(async () => semaphores);
  });

  test('a contract that is not kept is noticed', async () => {
    const semaphores = new InlineSemaphores();
    const unfair: Semaphores = {
      acquire: (wanted, signal) => semaphores.acquire({ ...wanted, share: '' }, signal),
    };
    const fair = semaphoreCases.find(({ name }) => name.startsWith('go to one share'));
    await expect(fair?.run(async () => unfair)).rejects.toThrow();
  });
});

describe('requests to stop within one process', () => {
  test.each(stopRequestsCases)('$name', async (stopCase) => {
    const stops = createInlineStopRequests();
    await stopCase.run(async () => stops);
  });
});
