import { appMethod } from '../api/method.ts';

/** Opens the way for one connection of Socket Mode. */
export function connectionsOpen(openUrl: () => string) {
  return appMethod({
    name: 'apps.connections.open',
    access: 'app',
    tier: 'unlimited',
    args: {},
    run: () => ({ url: openUrl() }),
  });
}
