/** The scripts of the store, each with the prelude before it. */

import { readFileSync } from 'node:fs';
import { mostRemembered } from '../store.ts';
import { type Script, scriptsIn } from './commands.ts';

const prelude = `local most_remembered = ${mostRemembered}\n${readFileSync(fileOf('prelude'), 'utf8')}`;

const turns = storeScripts('turns');
const messages = storeScripts('messages');
const memory = storeScripts('memory');
const forgetting = storeScripts('forgetting');
const claims = storeScripts('claims');
const settings = storeScripts('settings');
const spending = storeScripts('spending');
const workspaces = storeScripts('workspaces');

export const scripts = {
  begin: turns('begin'),
  take: turns('take'),
  checkpoint: turns('checkpoint'),
  remark: turns('remark'),
  readGroup: turns('read'),
  listTurns: turns('list'),
  stepsOfPlace: turns('steps'),
  unfinished: turns('unfinished'),
  append: messages('append'),
  recent: messages('recent'),
  page: messages('page'),
  threads: messages('threads'),
  readMemory: memory('read'),
  keepShard: memory('keep-shard'),
  readVectors: memory('read-vectors'),
  keepVectors: memory('keep-vectors'),
  forget: forgetting('forget'),
  sweepWorkspace: forgetting('sweep'),
  claim: claims('claim'),
  sweepClaims: claims('sweep'),
  readSettings: settings('read'),
  writeSettings: settings('write'),
  spend: spending('spend'),
  spent: spending('spent'),
  enlist: workspaces('enlist'),
  listWorkspaces: workspaces('list'),
  leave: workspaces('leave'),
  delist: workspaces('delist'),
} as const;

/** @param name - Of a file in the folder `scripts`, e.g. `archive`. */
export function storeScripts(name: string): (name: string) => Script {
  return scriptsIn(fileOf(name), prelude);
}

function fileOf(name: string): URL {
  return new URL(`scripts/${name}.lua`, import.meta.url);
}
