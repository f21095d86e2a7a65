import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { openConnection } from '../../src/store/sqlite/connection.ts';

const page = readFileSync(new URL('../../docs/database.md', import.meta.url), 'utf8');
const section = /^## SQLite$(.*?)^## /ms.exec(page)?.[1] ?? '';
const named = z.object({ name: z.string() });

/** The names between backticks in a cell. */
function namesIn(cell: string): readonly string[] {
  return [...cell.matchAll(/`([a-z_]+)`/g)].map(([, name = '']) => name);
}

test('has the tables, columns, indexes and triggers that are documented, and no others', () => {
  const connection = openConnection({ path: ':memory:' });
  const found = (sql: string, ...values: readonly string[]) =>
    connection
      .prepare(sql)
      .all(...values)
      .map((row) => named.parse(row).name);
  const documented = [...section.matchAll(/^\| `([a-z_]+)` \| (.*) \| (.*) \|$/gm)];
  expect(documented.map(([, table]) => table).toSorted()).toEqual(
    found("SELECT name FROM sqlite_schema WHERE type = 'table'").toSorted(),
  );
  for (const [, table = '', columns = '', indexes = ''] of documented) {
    const kept = found('SELECT name FROM pragma_table_info(?)', table);
    expect(
      namesIn(columns).filter((name) => kept.includes(name)),
      table,
    ).toEqual(kept);
    const others = found(
      "SELECT name FROM sqlite_schema WHERE tbl_name = ? AND type <> 'table' AND sql IS NOT NULL",
      table,
    );
    const toldOf = namesIn(indexes).filter((name) => !kept.includes(name));
    expect(toldOf.toSorted(), table).toEqual(others.toSorted());
  }
  connection.close();
});
