import { expect, onTestFinished, test } from 'vitest';
import { groupCommit, openConnection } from '../../src/store/sqlite/connection.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { handClock } from '../contracts/store/case.ts';

test('what is written counts as written after its commit, and not when that fails', async () => {
  const connection = openConnection({ path: ':memory:' });
  onTestFinished(() => connection.close());
  const writes = groupCommit(connection);
  const later = connection.prepare('PRAGMA defer_foreign_keys = ON');
  const step = connection.prepare(
    "INSERT INTO steps (turn_seq, kind, key, data) VALUES (?, 'verdict', '', '{}')",
  );
  const sound = connection.prepare(
    "INSERT INTO settings (scope, name, value, set_by, set_at) VALUES ('a', 'b', '1', 'c', 1)",
  );
  // Of a turn that there is not, which is noticed by the commit.
  const unsound = writes.add(() => {
    later.run();
    step.run(1);
  });
  const beside = writes.add(() => sound.run());
  const [first, second] = await Promise.allSettled([unsound, beside]);
  expect(first.status).toBe('rejected');
  expect(second.status).toBe('rejected');
  expect(connection.prepare('SELECT count(*) AS kept FROM settings').get()).toEqual({ kept: 0 });
  await writes.add(() => sound.run());
  expect(connection.prepare('SELECT count(*) AS kept FROM settings').get()).toEqual({ kept: 1 });
});

test('what is written while much has expired goes before the rest of what is deleted', async () => {
  const clock = handClock();
  const store = openSqliteStore({ path: ':memory:', now: clock.now });
  onTestFinished(() => store.close());
  await Promise.all(Array.from({ length: 200 }, (_, at) => store.claim(`claim ${at}`, 1)));
  clock.advance(1);
  const done: string[] = [];
  const sweep = store.sweep(500).then((count) => done.push(`${count} deleted`));
  await store.claim('first', 1);
  done.push('first');
  await store.claim('second', 1);
  done.push('second');
  await sweep;
  expect(done).toEqual(['first', 'second', '200 deleted']);
});
