import type { Method } from '../api/method.ts';
import { connectionsOpen } from './apps.ts';
import { setStatus, setSuggestedPrompts, setTitle } from './assistant.ts';
import { deleteMessage, getPermalink, update } from './chat-changing.ts';
import { postEphemeral, postMessage } from './chat-posting.ts';
import { info, members, ofApp, open } from './conversations.ts';
import { completeUpload, deleteFile, fileInfo, getUploadUrl } from './files.ts';
import { oauthAccess } from './oauth.ts';
import { authTeamsList, authTest, teamInfo, usersInfo } from './people.ts';
import { history, replies } from './reading.ts';
import { appendStream, startStream, stopStream } from './streaming.ts';
import { openView, publishView, pushView, updateOpenView } from './views.ts';

/** Every method that is served, by its name. */
export function methodsOf(openSocketUrl: () => string): ReadonlyMap<string, Method> {
  const methods = [
    appendStream,
    authTeamsList,
    authTest,
    completeUpload,
    connectionsOpen(openSocketUrl),
    deleteFile,
    deleteMessage,
    fileInfo,
    getPermalink,
    getUploadUrl,
    history,
    info,
    members,
    oauthAccess,
    ofApp,
    open,
    postEphemeral,
    postMessage,
    replies,
    setStatus,
    setSuggestedPrompts,
    setTitle,
    startStream,
    stopStream,
    teamInfo,
    openView,
    publishView,
    pushView,
    update,
    updateOpenView,
    usersInfo,
  ] as const;
  return new Map(methods.map((method) => [method.name, method]));
}
