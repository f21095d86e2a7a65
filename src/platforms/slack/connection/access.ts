/** How Slack is reached, and what comes of it. */

import type { Log } from '../../../domain/log.ts';
import type { InstallationRecords } from './installations.ts';
import { OneWorkspace } from './one-workspace.ts';
import { RequestConnection } from './requests.ts';
import { SeveralWorkspaces } from './several-workspaces.ts';
import { SocketConnection } from './socket.ts';
import type { Workspaces } from './workspaces.ts';

/** Where requests of Slack are awaited. */
interface Address {
  readonly host: string;
  readonly port: number;
}

export type SlackAccess =
  /** Events of one workspace come over a socket. */
  | { readonly kind: 'socket'; readonly botToken: string; readonly appToken: string }
  /** Events of one workspace come as signed requests. */
  | ({
      readonly kind: 'requests';
      readonly botToken: string;
      readonly signingSecret: string;
    } & Address)
  /** Whoever likes adds the app to a workspace; events come as signed requests. */
  | ({
      readonly kind: 'several workspaces';
      readonly clientId: string;
      readonly clientSecret: string;
      readonly signingSecret: string;
      /** 32 bytes in base64. */
      readonly encryptionKey: string;
      readonly publicUrl?: string;
      readonly records: InstallationRecords;
    } & Address);

export function workspacesOf(access: SlackAccess, log: Log, now: () => number): Workspaces {
  switch (access.kind) {
    case 'socket': {
      const { appToken, botToken } = access;
      return new OneWorkspace(botToken, (way) => new SocketConnection({ ...way, appToken }));
    }
    case 'requests': {
      const { botToken, signingSecret, host, port } = access;
      return new OneWorkspace(
        botToken,
        () => new RequestConnection({ signingSecret, host, port, log }),
      );
    }
    case 'several workspaces':
      return new SeveralWorkspaces({ ...access, log, now });
  }
}
