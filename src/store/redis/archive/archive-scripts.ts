/** The scripts of the folder `scripts/archive`; loaded only for maintenance. */

import { load } from '../scripts.ts';

export const archiveScripts = {
  readThreads: load('archive/read-threads'),
  readSpending: load('archive/read-spending'),
  readClaims: load('archive/read-claims'),
  restoreTurn: load('archive/restore', 'archive/restore-turn'),
  restoreMessage: load('archive/restore', 'archive/restore-message'),
  restoreShard: load('archive/restore', 'archive/restore-shard'),
  restoreSpending: load('archive/restore-spending'),
  examineKey: load('archive/examine-key'),
  workspacesLacking: load('archive/workspaces-lacking'),
} as const;
