/** What all quotas must do; run over each backend. */

import { expect } from 'vitest';
import type { Quotas } from '../../src/queue/coordination.ts';

/** Opens quotas of the same place as all others of the case. */
export type OpenQuotas = () => Promise<Quotas>;

export interface QuotasCase {
  readonly name: string;
  run(open: OpenQuotas): Promise<void>;
}

const long = 60_000;

export const quotasCases: readonly QuotasCase[] = [
  {
    name: 'lets no more through than the limit, however many ask at once',
    async run(open) {
      const quotas = [await open(), await open()];
      const claim = [{ name: 'open', amount: 1, limit: 3 }];
      const taken = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          quotas[index % 2]?.take(`holder ${index}`, claim, long),
        ),
      );
      expect(taken.filter((one) => one?.status === 'taken')).toHaveLength(3);
    },
  },
  {
    name: 'takes all or nothing, and says what is short and how much others hold of it',
    async run(open) {
      const quotas = await open();
      await quotas.take('first', [{ name: 'money', amount: 0.25, limit: 1 }], long);
      const both = [
        { name: 'places', amount: 1, limit: 1 },
        { name: 'money', amount: 0.8, limit: 1 },
      ];
      expect(await quotas.take('second', both, long)).toEqual({
        status: 'refused',
        name: 'money',
        held: 0.25,
      });
      const place = [{ name: 'places', amount: 1, limit: 1 }];
      expect(await quotas.take('third', place, long)).toEqual({ status: 'taken' });
    },
  },
  {
    name: 'is not put off by how fractions are counted',
    async run(open) {
      const quotas = await open();
      const claim = (amount: number) => [{ name: 'money', amount, limit: 0.3 }];
      expect(await quotas.take('first', claim(0.1), long)).toEqual({ status: 'taken' });
      expect(await quotas.take('second', claim(0.2), long)).toEqual({ status: 'taken' });
    },
  },
  {
    name: 'gives back all that a holder has',
    async run(open) {
      const quotas = await open();
      const [places, money] = [
        { name: 'places', amount: 1, limit: 1 },
        { name: 'money', amount: 2, limit: 2 },
      ];
      await quotas.take('first', [places], long);
      await quotas.take('first', [money], long);
      await quotas.release('first');
      await quotas.release('nobody');
      expect(await quotas.take('second', [places, money], long)).toEqual({ status: 'taken' });
    },
  },
  {
    name: 'replaces what the same holder had',
    async run(open) {
      const quotas = await open();
      const claim = [{ name: 'places', amount: 1, limit: 1 }];
      await quotas.take('first', claim, long);
      expect(await quotas.take('first', claim, long)).toEqual({ status: 'taken' });
      expect(await quotas.take('second', claim, long)).toMatchObject({ held: 1 });
    },
  },
  {
    name: 'says that a limit may be wrong, if something was released after it was read, by any process',
    async run(open) {
      const [quotas, other] = [await open(), await open()];
      const claim = { name: 'money', amount: 1, limit: 2 };
      const readAt = performance.now();
      await other.take('first', [claim], long);
      await other.release('first');
      expect(await quotas.take('second', [{ ...claim, readAt }], long)).toEqual({
        status: 'outdated',
      });
      // It holds what it has taken all the same.
      expect(await other.take('third', [{ ...claim, amount: 2 }], long)).toMatchObject({ held: 1 });
      const readAgain = () =>
        quotas.take('second', [{ ...claim, readAt: performance.now() }], long);
      await expect.poll(readAgain).toEqual({ status: 'taken' });
      const beside = { ...claim, name: 'other money', readAt };
      expect(await quotas.take('fourth', [beside], long)).toEqual({ status: 'taken' });
    },
  },
  {
    name: 'counts nothing whose lease has ended, and all that is held on to',
    async run(open) {
      const quotas = await open();
      const claim = [{ name: 'places', amount: 1, limit: 2 }];
      await quotas.take('brief', claim, 100);
      await quotas.take('kept', claim, 100);
      await quotas.keep('kept', long);
      await expect.poll(() => quotas.take('second', claim, long)).toEqual({ status: 'taken' });
      expect(await quotas.take('third', claim, long)).toMatchObject({ status: 'refused', held: 2 });
    },
  },
];
