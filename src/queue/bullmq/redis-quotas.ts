import { z } from 'zod';
import { type QuotaClaim, type Quotas, roundingError, type Taken } from '../coordination.ts';
import { type Commands, queueScripts } from './commands.ts';
import { prefix } from './settings.ts';

const script = queueScripts('quotas');

const takenSchema = z.union([z.literal('taken'), z.tuple([z.string(), z.coerce.number()])]);

const thingPrefix = `${prefix}:quota:`;
const holdingPrefix = `${prefix}:holding:`;

/** Quotas of all processes on a server, by the server's clock. */
export class RedisQuotas implements Quotas {
  readonly #commands: Commands;

  constructor(commands: Commands) {
    this.#commands = commands;
  }

  async take(holder: string, claims: readonly QuotaClaim[], leaseMs: number): Promise<Taken> {
    const values = claims.flatMap(({ name, amount, limit }) => [
      name,
      String(amount),
      String(limit),
    ]);
    const reply = takenSchema.parse(
      await this.#commands.run(
        script('take'),
        [holdingPrefix + holder],
        [thingPrefix, holder, String(Math.ceil(leaseMs)), String(roundingError), ...values],
      ),
    );
    if (reply === 'taken') return { status: 'taken' };
    const [name, held] = reply;
    return { status: 'refused', name, held };
  }

  async keep(holder: string, leaseMs: number): Promise<void> {
    await this.#keep(holder, Math.ceil(leaseMs));
  }

  async release(holder: string): Promise<void> {
    await this.#keep(holder, 0);
  }

  async #keep(holder: string, leaseMs: number): Promise<void> {
    const values = [thingPrefix, holder, String(leaseMs)];
    await this.#commands.run(script('keep'), [holdingPrefix + holder], values);
  }
}
