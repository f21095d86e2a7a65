/** Links by which others read a turn: who has one needs no key. Kept are ids alone, so that a forgotten turn is gone there too. */

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { TurnLinks } from '../bot/parts.ts';
import { workspaceOf } from '../domain/thread-id.ts';
import { type ShareRecords, sharedPath } from '../platforms/web/web-council.ts';
import type { Settings } from '../settings/file-table.ts';
import { Notes } from '../store/notes.ts';
import type { Store } from '../store/store.ts';
import { webRecords } from './web-records.ts';

const turnSchema = z.object({ turnId: z.string(), threadId: z.string() });
const secretForm = /^[\w-]{32}$/;

export function webShares(
  store: Pick<Store, 'turns' | 'messages' | 'memories' | 'settings'>,
  now: () => number,
): ShareRecords {
  /** The secrets of a workspace, by the ids of its turns. */
  const byTurn = (threadId: string) =>
    new Notes(store.settings, `shared:${workspaceOf(threadId)}`, { now });
  /** The turn of a secret. */
  const bySecret = (secret: string) => new Notes(store.settings, `link:share:${secret}`, { now });
  const read = async ({
    turnId,
    threadId,
  }: {
    readonly turnId: string;
    readonly threadId: string;
  }) =>
    z
      .string()
      .optional()
      .parse((await byTurn(threadId).list()).get(turnId));

  return {
    of: read,
    async make(turn) {
      const known = await read(turn);
      if (known !== undefined) return known;
      const { turnId, threadId } = turn;
      const secret = randomBytes(24).toString('base64url');
      await bySecret(secret).put({ turn: { turnId, threadId } });
      await byTurn(threadId).put({ [turnId]: secret });
      return secret;
    },
    async withdraw(turn) {
      const secret = await read(turn);
      if (secret === undefined) return;
      await bySecret(secret).clear();
      await byTurn(turn.threadId).drop([turn.turnId]);
    },
    async find(secret) {
      if (!secretForm.test(secret)) return undefined;
      const found = turnSchema.safeParse((await bySecret(secret).list()).get('turn'));
      if (!found.success) return undefined;
      const { turnId, threadId } = found.data;
      return webRecords(store).turn(workspaceOf(threadId), turnId);
    },
  };
}

/** The same as whole addresses, for chats; absent where the page is reached from this machine alone. */
export function turnLinks(
  { port, publicUrl }: Settings['web'],
  store: Store,
): TurnLinks | undefined {
  if (port === undefined || publicUrl === undefined) return undefined;
  const shares = webShares(store, Date.now);
  return {
    make: async (turn) => new URL(sharedPath(await shares.make(turn)), publicUrl).href,
    withdraw: (turn) => shares.withdraw(turn),
  };
}
