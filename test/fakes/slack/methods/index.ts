import type { Method } from '../api/method.ts';
import { connectionsOpen } from './apps.ts';
import { deleteMessage, getPermalink, update } from './chat-changing.ts';
import { postEphemeral, postMessage } from './chat-posting.ts';
import { info, members, open } from './conversations.ts';
import { authTest, teamInfo, usersInfo } from './people.ts';
import { history, replies } from './reading.ts';

/** Every method that is served, by its name. */
export function methodsOf(openSocketUrl: () => string): ReadonlyMap<string, Method> {
  const methods = [
    authTest,
    connectionsOpen(openSocketUrl),
    deleteMessage,
    getPermalink,
    history,
    info,
    members,
    open,
    postEphemeral,
    postMessage,
    replies,
    teamInfo,
    update,
    usersInfo,
  ] as const;
  return new Map(methods.map((method) => [method.name, method]));
}
