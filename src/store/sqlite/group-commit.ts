/**
 * Writes that come in the same turn of the event loop are committed together: when fifty turns run
 * at once, a commit each would be most of what the store costs. Measured there by `npm run bench`.
 */

import { setImmediate as afterThisTurn } from 'node:timers/promises';
import type { Connection } from './connection.ts';

export interface GroupCommit {
  /**
   * Does all of the work, or when it throws nothing of it, and answers once it is committed. Work is
   * done in the order in which it was added; that another one throws does not touch it.
   */
  add<Result>(work: () => Result): Promise<Result>;
  /** Waits until everything that was added is committed or refused. */
  settled(): Promise<void>;
}

interface Waiting {
  /** Does the work and keeps its result; what it throws is kept for `settle` and thrown on. */
  run(): void;
  settle(): void;
  /** The commit itself failed, and with it everything in it. */
  fail(error: unknown): void;
}

export function groupCommit(connection: Connection): GroupCommit {
  const open = connection.prepare('SAVEPOINT one');
  const release = connection.prepare('RELEASE one');
  const undo = connection.prepare('ROLLBACK TO one');
  let waiting: Waiting[] = [];
  let committed = Promise.resolve();

  function commit(): void {
    const group = waiting;
    waiting = [];
    try {
      connection.transaction(() => {
        for (const work of group) alone(work);
      });
      for (const work of group) work.settle();
    } catch (error) {
      for (const work of group) work.fail(error);
    }
  }

  /** One that throws is undone without the others. */
  function alone(work: Waiting): void {
    open.run();
    try {
      work.run();
    } catch (error) {
      // A full disk has ended the transaction by itself, and with it what the others had done.
      if (!connection.isInTransaction()) throw error;
      // The error is kept by the work itself, for the caller.
      undo.run();
    }
    release.run();
  }

  return {
    add: <Result>(work: () => Result) => {
      if (waiting.length === 0) committed = afterThisTurn().then(commit);
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      let settle: () => void;
      waiting.push({
        run: () => {
          try {
            const result = connection.read(work);
            settle = () => resolve(result);
          } catch (error) {
            settle = () => reject(error);
            throw error;
          }
        },
        settle: () => settle(),
        fail: reject,
      });
      return promise;
    },
    settled: () => committed,
  };
}
