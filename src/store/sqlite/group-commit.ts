/**
 * Writes that come in the same turn of the event loop are committed together: when fifty turns run
 * at once, a commit each would be most of what the store costs. Measured there by `npm run bench`.
 */

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
  let committed: PromiseWithResolvers<void> | undefined;

  function commit(): void {
    if (waiting.length === 0) return;
    const group = waiting;
    const { resolve } = committed ?? {};
    waiting = [];
    committed = undefined;
    try {
      connection.transaction(() => {
        for (const work of group) alone(work);
      });
      for (const work of group) work.settle();
    } catch (error) {
      for (const work of group) work.fail(error);
    }
    resolve?.();
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
    add: (work) => {
      if (committed === undefined) {
        committed = Promise.withResolvers<void>();
        setImmediate(commit);
      }
      return new Promise((resolve, reject) => {
        waiting.push(waitingFor(() => connection.read(work), resolve, reject));
      });
    },
    settled: async () => committed?.promise,
  };
}

function waitingFor<Result>(
  work: () => Result,
  resolve: (result: Result) => void,
  reject: (error: unknown) => void,
): Waiting {
  let settle: (() => void) | undefined;
  return {
    run: () => {
      try {
        const result = work();
        settle = () => resolve(result);
      } catch (error) {
        settle = () => reject(error);
        throw error;
      }
    },
    settle: () => settle?.(),
    fail: reject,
  };
}
