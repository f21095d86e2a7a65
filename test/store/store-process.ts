/**
 * A process of its own with a store in it: `node store-process.ts <task> <path>`. Writes one line
 * for each thing that it has done; what is written was acknowledged before.
 */

import { openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openConnection } from '../../src/store/sqlite/connection.ts';
import { fileScrubber } from '../../src/store/sqlite/scrubbing.ts';
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
  /** Clears its file, a page at a time, and writes meanwhile, until it is killed. */
  async scrub() {
    const connection = openConnection({ path });
    const store = sqliteStore(connection);
    const { scrub } = fileScrubber(connection, 65_536);
    const scrubbing = (async () => {
      for (;;) await scrub();
    })();
    const writing = (async () => {
      for (let count = 0; ; count += 1) {
        const turnId = `turn-${process.pid}-${count}`;
        await writeTurn(store, turnId);
        if (count % 2 === 0) await store.forget({ threadId, turnIds: [turnId], messageIds: [] });
        else say(`kept ${turnId}`);
      }
    })();
    await Promise.all([scrubbing, writing]);
  },
  /** Clears a file on a disk that is full. */
  async scrubWithoutRoom() {
    const store = openSqliteStore({ path });
    const content = { text: 'Said. '.repeat(1000) };
    const ids = Array.from({ length: 80 }, (_, at) => `m${at}`);
    await store.messages.append(ids.map((id) => imported(id, 'human', { content })));
    await store.scrub();
    await store.forget({ threadId, turnIds: [], messageIds: ids.slice(0, 40) });
    const ballast = openSync(join(dirname(path), 'ballast'), 'w');
    for (const block of [1_000_000, 10_000, 100, 1]) {
      try {
        for (;;) writeSync(ballast, Buffer.alloc(block));
      } catch {
        // No block of this size has room any more.
      }
    }
    await store.scrub();
    say(`log of ${statSync(`${path}-wal`).size} bytes`);
    say(`kept ${(await store.messages.page(threadId, { limit: 500 })).length}`);
    await store.close();
  },
};

function sayRefusal(error: unknown): void {
  if (!(error instanceof StoreError)) throw error;
  say(`refused ${error.reason}: ${error.message}`);
}

await tasks[task]?.().catch(sayRefusal);
