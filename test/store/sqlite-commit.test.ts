import { expect, onTestFinished, test } from 'vitest';
import { groupCommit, openConnection } from '../../src/store/sqlite/connection.ts';

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
