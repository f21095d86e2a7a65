import { GatewayCloseCodes, GatewayOpcodes } from 'discord-api-types/v10';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import type { Clock } from '../world/clock.ts';
import type { Line } from './session.ts';

const message = z.object({ op: z.number().int(), d: z.unknown() });

const identify = z.object({
  token: z.string(),
  intents: z.number().int(),
  shard: z.tuple([z.number().int(), z.number().int().positive()]).optional(),
  properties: z.object({ os: z.string(), browser: z.string(), device: z.string() }),
});

const resume = z.object({ token: z.string(), session_id: z.string(), seq: z.number().int() });

const requestMembers = z.object({ guild_id: z.string(), nonce: z.string().optional() });

export type Identify = z.infer<typeof identify>;
export type Resume = z.infer<typeof resume>;
export type RequestMembers = z.infer<typeof requestMembers>;

/** What a connection asks of the gateway. Each may close the line. */
export interface ConnectionHandlers {
  identify(connection: Connection, request: Identify): void;
  resume(connection: Connection, request: Resume): void;
  requestMembers(connection: Connection, request: RequestMembers): void;
  received(opcode: number): void;
  closed(connection: Connection): void;
}

/** A client's WebSocket, from HELLO to its close. */
export interface Connection extends Line {
  /** Sends something that is not an event: no number, no session. */
  control(op: GatewayOpcodes, d: unknown): void;
  /** Op 9: the session is over, or has to be resumed; either may happen on this very connection. */
  invalidate(isResumable: boolean): void;
  /** Cuts the line without a closing handshake. */
  cut(): void;
  /** From now on the line is up and nothing comes through it, not even an acknowledged heartbeat. */
  freeze(): void;
}

/** More than this many messages in a minute end a connection. */
const messagesPerMinute = 120;

/** Serves a WebSocket that a client has just opened. */
export function openConnection(
  socket: WebSocket,
  options: { readonly clock: Clock; readonly heartbeatIntervalMs: number },
  handlers: ConnectionHandlers,
): Connection {
  let isFrozen = false;
  let isAuthenticated = false;
  const arrivals: number[] = [];

  const send = (payload: string) => {
    if (!isFrozen && socket.readyState === socket.OPEN) socket.send(payload);
  };
  const connection: Connection = {
    send,
    control: (op, d) => send(JSON.stringify({ op, d, s: null, t: null })),
    invalidate: (isResumable) => {
      isAuthenticated = false;
      connection.control(GatewayOpcodes.InvalidSession, isResumable);
    },
    close: (code) => socket.close(code),
    cut: () => socket.terminate(),
    freeze: () => {
      isFrozen = true;
    },
  };

  const receive = (text: string) => {
    const now = options.clock.now();
    arrivals.push(now);
    if (arrivals.filter((at) => at > now - 60_000).length > messagesPerMinute) {
      return socket.close(GatewayCloseCodes.RateLimited);
    }
    const parsed = parse(text);
    if (parsed === undefined) return socket.close(GatewayCloseCodes.DecodeError);
    handlers.received(parsed.op);
    handle(parsed.op, parsed.d);
  };

  const handle = (op: number, d: unknown) => {
    if (op === GatewayOpcodes.Heartbeat)
      return connection.control(GatewayOpcodes.HeartbeatAck, null);
    const isOpening = op === GatewayOpcodes.Identify || op === GatewayOpcodes.Resume;
    if (isOpening && isAuthenticated) return socket.close(GatewayCloseCodes.AlreadyAuthenticated);
    if (!isOpening && !isAuthenticated) return socket.close(GatewayCloseCodes.NotAuthenticated);
    isAuthenticated = true;
    switch (op) {
      case GatewayOpcodes.Identify:
        return read(identify, d, (request) => handlers.identify(connection, request));
      case GatewayOpcodes.Resume:
        return read(resume, d, (request) => handlers.resume(connection, request));
      case GatewayOpcodes.RequestGuildMembers:
        return read(requestMembers, d, (request) => handlers.requestMembers(connection, request));
      case GatewayOpcodes.PresenceUpdate:
      case GatewayOpcodes.VoiceStateUpdate:
        return undefined;
      default:
        return socket.close(GatewayCloseCodes.UnknownOpcode);
    }
  };

  const read = <Request>(
    schema: z.ZodType<Request>,
    d: unknown,
    use: (request: Request) => void,
  ) => {
    const parsed = schema.safeParse(d);
    if (parsed.success) use(parsed.data);
    else socket.close(GatewayCloseCodes.DecodeError);
  };

  socket.on('message', (data) => receive(data.toString()));
  socket.on('close', () => handlers.closed(connection));
  // A client that vanishes is a closed line; the close event follows.
  socket.on('error', () => socket.terminate());
  connection.control(GatewayOpcodes.Hello, {
    heartbeat_interval: options.heartbeatIntervalMs,
    _trace: [],
  });
  return connection;
}

function parse(text: string): z.infer<typeof message> | undefined {
  try {
    return message.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
