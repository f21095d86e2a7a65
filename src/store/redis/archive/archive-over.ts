import type { Archive } from '../../archive.ts';
import type { Clock } from '../clock.ts';
import type { Commands } from '../commands.ts';
import { storeOver } from '../store-over.ts';
import { workspacesOf } from '../workspaces.ts';
import { examiner } from './examiner.ts';
import { archiveReader } from './reader.ts';
import { archiveWriter } from './writer.ts';

/** The store over a server as a whole, however that is reached. */
export function archiveOver(commands: Commands, clock: Clock): Archive {
  const store = storeOver(commands, clock);
  const workspaces = workspacesOf(commands);
  return {
    store,
    read: archiveReader(commands, workspaces, clock),
    write: archiveWriter(commands, workspaces, store.settings, clock),
    examine: examiner(commands, workspaces),
  };
}
