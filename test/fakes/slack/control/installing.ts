import { randomUUID } from 'node:crypto';
import type { User } from '../world/records.ts';
import type { World } from '../world/world.ts';

export interface Installing {
  /**
   * Adds the app to the person's workspace as in a browser: opens the app's own page, allows what it asks
   * for, and is led back.
   *
   * @param page - The app's page, e.g. `http://127.0.0.1:3000/slack/install`.
   * @param how - `back`: where Slack leads to when the app does not say. `refuses`: the person does not allow it.
   * @returns The page on which it ended.
   */
  installs(
    page: string,
    how?: { readonly back?: string; readonly refuses?: boolean },
  ): Promise<Response>;
}

export function installing(world: World, user: User): Installing {
  return {
    installs: async (page, { back, refuses = false } = {}) => {
      const opened = await fetch(page, { redirect: 'manual' });
      const cookies = opened.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
      const asked = new URL(await authorizeUrl(opened));
      const scopes = asked.searchParams.get('scope')?.split(',') ?? [];
      if (asked.searchParams.get('client_id') !== world.app.clientId) {
        throw new Error('The page asks in the name of another app.');
      }
      const unknown = scopes.filter((scope) => !world.app.scopes.includes(scope));
      if (unknown.length > 0) throw new Error(`The app does not have the scopes ${unknown}.`);
      const code = randomUUID();
      if (!refuses) world.grants.set(code, { user, scopes });
      const goal = asked.searchParams.get('redirect_uri') ?? back;
      if (goal === undefined || goal === '') throw new Error('It is not known where to lead back.');
      const url = new URL(goal);
      url.searchParams.set(refuses ? 'error' : 'code', refuses ? 'access_denied' : code);
      url.searchParams.set('state', asked.searchParams.get('state') ?? '');
      return fetch(url, { headers: { cookie: cookies.join('; ') }, redirect: 'manual' });
    },
  };
}

/** The page leads there by itself, or has a button that does. */
async function authorizeUrl(response: Response): Promise<string> {
  const location = response.headers.get('location');
  if (location !== null) return location;
  const html = await response.text();
  const link = /href="([^"]*\/oauth\/v2\/authorize[^"]*)"/.exec(html)?.[1];
  if (link === undefined) throw new Error(`The page has no button to add the app: ${html}`);
  return link.replaceAll('&amp;', '&');
}
