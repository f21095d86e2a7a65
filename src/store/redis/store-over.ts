import type { Store } from '../store.ts';
import type { Clock } from './clock.ts';
import type { Commands } from './commands.ts';
import { redisMemoryStore } from './memory-store.ts';
import { redisMessageStore } from './message-store.ts';
import { redisSettingsStore } from './settings-store.ts';
import { redisTurnStore } from './turn-store.ts';
import { redisUpkeep } from './upkeep.ts';
import { workspacesOf } from './workspaces.ts';

/** The store over a server, however that is reached. */
export function storeOver(commands: Commands, clock: Clock): Store {
  const workspaces = workspacesOf(commands);
  return {
    turns: redisTurnStore(commands, workspaces, clock),
    messages: redisMessageStore(commands, workspaces, clock),
    memories: redisMemoryStore(commands, clock),
    settings: redisSettingsStore(commands, clock),
    ...redisUpkeep(commands, workspaces, clock),
    close: () => commands.close(),
  };
}
