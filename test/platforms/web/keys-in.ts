import { keptKeys } from '../../../src/app/web-records.ts';
import { WebKeys } from '../../../src/platforms/web/keys.ts';
import type { SettingsStore } from '../../../src/store/store.ts';

/** The keys in a store, as on a server, whatever store it is. */
export function keysIn(settings: SettingsStore): WebKeys {
  return new WebKeys(keptKeys({ kind: 'redis', url: '' }, settings));
}
