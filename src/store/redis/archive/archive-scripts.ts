/** The scripts of the folder `scripts/archive`; loaded only for maintenance. */

import { load } from '../scripts.ts';

export const archiveScripts = {
  readThreads: load('archive/read-threads'),
  readSpending: load('archive/read-spending'),
  readForgotten: load('archive/read-forgotten'),
  readClaims: load('archive/read-claims'),
  scan: load('archive/scan'),
  restoreTurn: load('archive/restore', 'archive/restore-turn'),
  restoreMessage: load('archive/restore', 'archive/restore-message'),
  restoreShard: load('archive/restore', 'archive/restore-shard'),
  restoreForgotten: load('archive/restore-forgotten'),
  restoreSpending: load('archive/restore-spending'),
  examineKey: load('archive/examine-key'),
} as const;
