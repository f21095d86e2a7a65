/**
 * A process of its own with a store in it: `node store-process.ts <task> <path>`. Writes one line
 * for each thing that it has done; what is written was acknowledged before.
 */

import { rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openConnection } from '../../src/store/sqlite/connection.ts';
import { rewriteInThread } from '../../src/store/sqlite/rewriting.ts';
import { openSqliteStore, sqliteStore } from '../../src/store/sqlite.ts';
import { StoreError } from '../../src/store/store.ts';
import {
  answer,
  imported,
  newTurn,
  runningTurn,
  threadId,
  turnKey,
} from '../contracts/store/samples.ts';

const [task = '', path = ''] = process.argv.slice(2);

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

async function writeTurn(store: ReturnType<typeof openSqliteStore>, turnId: string) {
  const { attempt } = await runningTurn(store, newTurn(turnId));
  say(`begun ${turnId}`);
  const content = { type: 'sage_output', answer: 'word '.repeat(400) };
  const messages = [answer(turnId, 'taleb', { content })];
  const steps = [{ kind: 'seated', key: '', data: { seats: ['taleb'] } }];
  await store.turns.checkpoint({ turnId, threadId, attempt, messages, steps });
  say(`answered ${turnId}`);
}

const tasks: Readonly<Record<string, () => Promise<void>>> = {
  /** Opens the file and keeps it until the process ends. */
  async hold() {
    openSqliteStore({ path });
    say('opened');
    await new Promise((resolve) => process.stdin.once('end', resolve).resume());
  },
  /** Writes turns until it is killed. */
  async write() {
    const store = openSqliteStore({ path });
    for (let count = 0; ; count += 1) await writeTurn(store, `turn-${process.pid}-${count}`);
  },
  /** Opens the file as a user who owns nothing. */
  async openUnprivileged() {
    if (process.getuid?.() === 0) {
      process.setgid?.(65_534);
      process.setuid?.(65_534);
    }
    openSqliteStore({ path });
    say('opened');
  },
  /** Writes turns until the disk is full, makes room, and writes one more. */
  async fill() {
    const ballast = join(dirname(path), 'ballast');
    writeFileSync(ballast, Buffer.alloc(1_000_000));
    const store = openSqliteStore({ path });
    try {
      for (let count = 0; ; count += 1) await writeTurn(store, `turn-${count}`);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      say(`refused ${error.reason}`);
    }
    rmSync(ballast);
    await writeTurn(store, 'after');
    await store.close();
    const again = openSqliteStore({ path });
    for (const { turnId } of await again.turns.unfinished(100_000)) {
      const record = await again.turns.read(turnKey(turnId));
      say(`found ${turnId} with ${record?.messages.length} messages`);
    }
    await again.close();
  },
  /** Writes its file anew until it is killed. */
  async scrub() {
    const store = openSqliteStore({ path });
    for (;;) await store.scrub();
  },
  /** Writes a file anew that there is no room for, first said and then not said to be so large. */
  async scrubWithoutRoom() {
    const ballast = join(dirname(path), 'ballast');
    const connection = openConnection({ path });
    const store = sqliteStore(connection);
    const content = { text: 'Said. '.repeat(1000) };
    await store.messages.append(
      Array.from({ length: 160 }, (_, at) => imported(`m${at}`, 'human', { content })),
    );
    connection.emptyLog();
    writeFileSync(ballast, Buffer.alloc(1_500_000));
    await store.scrub().catch(sayRefusal);
    const location = pathToFileURL(path);
    location.searchParams.set('vfs', 'unix-excl');
    await rewriteInThread({ location, path, keptBytes: 0 }).catch(sayRefusal);
    say(`log of ${statSync(`${path}-wal`).size} bytes`);
    if (await store.claim('key', 60_000)) say('written meanwhile');
    rmSync(ballast);
    await store.forget({
      ...{ threadId, turnIds: [] },
      messageIds: Array.from({ length: 80 }, (_, at) => `m${at}`),
    });
    await store.scrub();
    say('rewritten');
    await store.close();
  },
};

function sayRefusal(error: unknown): void {
  if (!(error instanceof StoreError)) throw error;
  say(`refused ${error.reason}: ${error.message}`);
}

await tasks[task]?.().catch(sayRefusal);
