import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { type Answer, acknowledgeWithinMs, type Outgoing, type Transport } from './transport.ts';

/** The client gives a connection up when it is not pinged for 30 s. */
const pingEveryMs = 5_000;

const acknowledgement = z.object({ envelope_id: z.string(), payload: z.unknown() });

interface Waiting {
  readonly line: WebSocket;
  readonly settle: (answer: Answer) => void;
}

export interface SocketMode extends Transport {
  /** The url that `apps.connections.open` gives; good for one connection. */
  openUrl(): string;
  /** Takes an upgrade, if its url was given out. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** How many connections are open. */
  connections(): number;
  /** Says that the connections are to be renewed, as Slack does every few hours. */
  refresh(): void;
  /** Cuts every connection without a word. */
  cut(): void;
  /** Sends a frame on every connection as it stands, whatever it says. */
  sendFrame(text: string): void;
  /** What the app was told over sockets, oldest first. */
  readonly sent: readonly Outgoing[];
  /** Closes every connection properly, waiting half a second for the other side. */
  end(): Promise<void>;
  /** Calls a function whenever the app has connected. */
  onConnected(listener: () => void): void;
}

/** The sockets of one app. Each envelope goes to one of them, in turn. */
export function createSocketMode(appId: string, origin: string): SocketMode {
  const sockets = new WebSocketServer({ noServer: true });
  const tickets = new Set<string>();
  const lines: WebSocket[] = [];
  const waiting = new Map<string, Waiting>();
  const listeners: (() => void)[] = [];
  const sent: Outgoing[] = [];
  let turn = 0;

  const accept = (line: WebSocket) => {
    lines.push(line);
    const pings = setInterval(() => line.ping(), pingEveryMs);
    line.on('error', () => line.terminate());
    line.on('close', () => {
      clearInterval(pings);
      // One that was cut is gone by then.
      if (lines.includes(line)) lines.splice(lines.indexOf(line), 1);
      for (const open of [...waiting.values()].filter((open) => open.line === line)) {
        open.settle({ kind: 'not acknowledged', reason: 'connection_failed' });
      }
    });
    line.on('message', (text: Buffer) => {
      // What was acknowledged without an id was sent without one, too.
      const read = acknowledgement.safeParse(JSON.parse(text.toString())).data;
      if (read)
        waiting.get(read.envelope_id)?.settle({ kind: 'acknowledged', payload: read.payload });
    });
    const hello = {
      type: 'hello',
      num_connections: lines.length,
      connection_info: { app_id: appId },
      debug_info: { host: 'applink', started: new Date().toISOString(), build_number: 1 },
    };
    line.send(JSON.stringify(hello));
    for (const listener of listeners) listener();
  };

  const cut = () => {
    for (const line of lines.splice(0)) line.terminate();
  };

  return {
    isUp: () => lines.length > 0,
    connections: () => lines.length,
    onConnected: (listener) => listeners.push(listener),

    openUrl: () => {
      const ticket = randomUUID();
      tickets.add(ticket);
      return `${origin.replace('http', 'ws')}/link/?ticket=${ticket}&app_id=${appId}`;
    },

    upgrade: (request, socket, head) => {
      const ticket = new URL(request.url ?? '/', origin).searchParams.get('ticket') ?? '';
      if (!tickets.delete(ticket)) {
        socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
        return;
      }
      sockets.handleUpgrade(request, socket, head, accept);
    },

    send: ({ kind, payload, retry }) =>
      new Promise((resolve) => {
        sent.push({ kind, payload, retry });
        const line = lines[turn++ % Math.max(lines.length, 1)];
        if (line === undefined) {
          resolve({ kind: 'not acknowledged', reason: 'connection_failed' });
          return;
        }
        const id = randomUUID();
        const settle = (answer: Answer) => {
          clearTimeout(timer);
          waiting.delete(id);
          resolve(answer);
        };
        const timer = setTimeout(
          () => settle({ kind: 'not acknowledged', reason: 'timeout' }),
          acknowledgeWithinMs,
        );
        waiting.set(id, { line, settle });
        line.send(JSON.stringify(envelope(id, { kind, payload, retry })));
      }),

    refresh: () => {
      for (const line of [...lines]) {
        line.send(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested' }));
      }
    },

    cut,
    sent,

    sendFrame: (text) => {
      for (const line of lines) line.send(text);
    },

    end: async () => {
      const impatience = setTimeout(cut, 500);
      const closed = lines.map((line) => new Promise((resolve) => line.once('close', resolve)));
      for (const line of [...lines]) line.close(1001);
      await Promise.all(closed);
      clearTimeout(impatience);
    },
  };
}

function envelope(id: string, { kind, payload, retry }: Outgoing) {
  return {
    envelope_id: id,
    type: kind,
    payload,
    accepts_response_payload: kind !== 'events_api',
    ...(kind === 'events_api' && {
      retry_attempt: retry?.number ?? 0,
      retry_reason: retry?.reason ?? '',
    }),
  };
}
