import { expect, test } from 'vitest';
import { z } from 'zod';
import { openConnection } from '../../src/store/sqlite/connection.ts';
import { sqliteStore } from '../../src/store/sqlite.ts';

/** What the store prepares, each with SQLite's plan for it. */
function plans(): ReadonlyMap<string, readonly string[]> {
  const connection = openConnection({ path: ':memory:' });
  const statements = new Set<string>();
  sqliteStore({
    ...connection,
    prepare: (sql) => {
      statements.add(sql);
      return connection.prepare(sql);
    },
  });
  const row = z.object({ detail: z.string() });
  const explained = [...statements].map((sql) => {
    const rows = connection.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    return [sql, rows.map((one) => row.parse(one).detail)] as const;
  });
  connection.close();
  return new Map(explained);
}

test('finds everything by an index: no statement walks through a table', () => {
  const found = plans();
  expect(found.size).toBeGreaterThan(25);
  for (const [sql, details] of found) {
    expect(
      details.filter((detail) => detail.startsWith('SCAN')),
      sql,
    ).toEqual([]);
  }
});

test('sorts nothing but the few steps and calls of one turn', () => {
  const sorting = [...plans()].filter(([, details]) =>
    details.some((detail) => detail.includes('TEMP B-TREE')),
  );
  for (const [sql] of sorting) expect(sql).toMatch(/FROM (steps|usage) WHERE turn_seq = \?/);
  expect(sorting).not.toHaveLength(0);
});
