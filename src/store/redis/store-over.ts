import type { Store } from '../store.ts';
import type { Clock } from './clock.ts';
import type { Commands } from './commands.ts';
import { redisMemoryStore } from './memory-store.ts';
import { redisMessageStore } from './message-store.ts';
import { redisSettingsStore } from './settings-store.ts';
import { redisTurnStore } from './turn-store.ts';
import { redisUpkeep } from './upkeep.ts';

/** The store over a server, however that is reached. */
export function storeOver(commands: Commands, clock: Clock): Store {
  return {
    turns: redisTurnStore(commands, clock),
    messages: redisMessageStore(commands, clock),
    memories: redisMemoryStore(commands, clock),
    settings: redisSettingsStore(commands, clock),
    ...redisUpkeep(commands, clock),
    close: () => commands.close(),
  };
}
