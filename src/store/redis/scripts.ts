/** The scripts of the folder `scripts`, each with the prelude before it. */

import { readFileSync } from 'node:fs';
import { mostRemembered } from '../store.ts';
import { type Script, script } from './commands.ts';

const folder = new URL('./scripts/', import.meta.url);
const prelude = `local most_remembered = ${mostRemembered}\n${read('prelude')}`;

export const scripts = {
  append: load('append'),
  begin: load('begin'),
  checkpoint: load('checkpoint'),
  claim: load('claim'),
  delist: load('delist'),
  enlist: load('enlist'),
  keepShard: load('keep-shard'),
  keepVectors: load('keep-vectors'),
  leave: load('leave'),
  listTurns: load('list-turns'),
  listWorkspaces: load('list-workspaces'),
  page: load('page'),
  readGroup: load('read-group'),
  readMemory: load('read-memory'),
  readSettings: load('read-settings'),
  readVectors: load('read-vectors'),
  recent: load('recent'),
  remark: load('remark'),
  spend: load('spend'),
  spent: load('spent'),
  sweepClaims: load('sweep-claims'),
  sweepWorkspace: load('sweep-workspace'),
  take: load('take'),
  unfinished: load('unfinished'),
  writeSettings: load('write-settings'),
} as const;

/** @param names - Files whose texts follow the prelude, in this order. */
export function load(...names: readonly string[]): Script {
  return script([prelude, ...names.map(read)].join('\n'));
}

function read(name: string): string {
  return readFileSync(new URL(`${name}.lua`, folder), 'utf8');
}
