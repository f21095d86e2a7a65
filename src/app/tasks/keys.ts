/** The task `keys`: makes, lists and withdraws the keys by which programs and browsers reach the council. */

import type { Writable } from 'node:stream';
import { TooManyKeysError, type WebKey } from '../../platforms/web/keys.ts';
import { openLog, type Surroundings } from '../session.ts';
import { openWebKeys } from '../web-keys.ts';
import type { KeysTask } from './task.ts';

/** @returns 0; 1 when there is no such key, or no room for another. */
export async function keysTask(around: Surroundings, task: KeysTask): Promise<number> {
  const { config, output, errors } = around;
  const { keys, close } = await openWebKeys(config, openLog(around, true));
  try {
    switch (task.action) {
      case 'list':
        writeKeys(output, await keys.list());
        return 0;
      case 'make': {
        const { id, secret } = await keys.make(task.key, Date.now());
        output.write(`${secret}\n`);
        errors.write(
          `Key ${id} for the workspace “${task.key.workspace}”. Keep it: it is not shown again.\n`,
        );
        return 0;
      }
      case 'withdraw': {
        const isGone = await keys.withdraw(task.id);
        const text = isGone ? `Key ${task.id} is withdrawn.` : `There is no key ${task.id}.`;
        (isGone ? output : errors).write(`${text}\n`);
        return isGone ? 0 : 1;
      }
    }
  } catch (error) {
    if (!(error instanceof TooManyKeysError)) throw error;
    errors.write(`${error.message}\n`);
    return 1;
  } finally {
    await close();
  }
}

function writeKeys(output: Writable, keys: readonly WebKey[]): void {
  if (keys.length === 0) {
    output.write('There are no keys. `npm run council -- keys make NAME` makes one.\n');
  }
  for (const key of keys) {
    const { usdPerDay, openQuestions } = key.limits;
    const facts = [
      `workspace ${key.workspace}`,
      `may ${key.scopes.join(', ')}`,
      ...(usdPerDay === undefined ? [] : [`$${usdPerDay.toFixed(2)} a day`]),
      ...(openQuestions === undefined ? [] : [`${openQuestions} at once`]),
      `${key.requestsPerMinute} requests a minute`,
      `made ${new Date(key.madeAt).toISOString().slice(0, 10)}`,
    ];
    output.write(`${key.id}  ${key.name}\n  ${facts.join('; ')}\n`);
  }
}
