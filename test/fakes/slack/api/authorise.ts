import type { Installation } from '../world/records.ts';
import type { World } from '../world/world.ts';
import type { Method } from './method.ts';
import { Refusal } from './refusal.ts';

/** The installation that a token belongs to, revoked or not. */
export function installationOf({ state }: World, token: unknown): Installation | undefined {
  return [...state.installations.values()].find(({ botToken }) => botToken === token);
}

/** Throws the Refusal with which Slack answers a token that may not call a method. */
export function authorise(world: World, method: Method, token: unknown): void {
  if (method.access === 'open') return;
  if (token === undefined) throw new Refusal('not_authed');
  if (method.access === 'app') {
    if (token === world.app.appToken) return;
    throw new Refusal(
      installationOf(world, token) === undefined ? 'invalid_auth' : 'not_allowed_token_type',
    );
  }
  const installation = installationOf(world, token);
  if (installation === undefined) throw new Refusal('invalid_auth');
  if (installation.isRevoked) throw new Refusal('token_revoked');
  const needed = method.scopes.filter((scope) => !installation.scopes.has(scope));
  if (needed.length > 0) {
    throw new Refusal('missing_scope', {
      needed: method.scopes.join(','),
      provided: [...installation.scopes].join(','),
    });
  }
}
