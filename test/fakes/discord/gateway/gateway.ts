import { GatewayCloseCodes, GatewayDispatchEvents, GatewayOpcodes } from 'discord-api-types/v10';
import type { WebSocket } from 'ws';
import { guildCreatePayload } from '../payloads/guilds.ts';
import { noFlags } from '../payloads/no-flags.ts';
import { memberPayload } from '../payloads/users.ts';
import { may } from '../world/permissions.ts';
import { shardOf } from '../world/snowflakes.ts';
import type { World } from '../world/world.ts';
import { type Connection, type Identify, openConnection, type Resume } from './connection.ts';
import type { GatewayEvent } from './events.ts';
import { identifyRefusal } from './identify-refusal.ts';
import { openSession, type Session } from './session.ts';

/** Something that a client sent, or did. */
export interface Received {
  readonly opcode: GatewayOpcodes | number;
  /** The path of the WebSocket: `/gateway`, or `/resume` as READY asked for. */
  readonly path: string;
}

export interface GatewayOptions {
  readonly world: World;
  readonly isToken: (token: string) => boolean;
  /** Privileged intents that the developer portal allows. */
  readonly allowedIntents: number;
  readonly heartbeatIntervalMs: number;
  readonly resumeUrl: () => string;
}

/** Discord's gateway: connections, and the sessions that outlive them. */
export function createGateway(options: GatewayOptions) {
  const { world } = options;
  const connections = new Map<Connection, Session | undefined>();
  const sessions = new Map<string, Session>();
  const received: Received[] = [];
  const dispatched: GatewayEvent[] = [];
  const deafShards = new Set<number>();
  const framesAfterReady: string[] = [];
  let { allowedIntents } = options;

  const identify = (connection: Connection, request: Identify) => {
    const refused = identifyRefusal({ isToken: options.isToken, allowedIntents }, request);
    if (refused !== undefined) return connection.close(refused);
    const [shardId, shardCount] = request.shard ?? [0, 1];
    for (const old of sessions.values()) {
      if (old.shardId === shardId && ![...connections.values()].includes(old)) {
        sessions.delete(old.id);
      }
    }
    const session = openSession({
      id: `session-${world.nextId()}`,
      intents: request.intents,
      shardId,
      shardCount,
      botId: world.bot.id,
      line: connection,
    });
    sessions.set(session.id, session);
    connections.set(connection, session);
    welcome(options, session, () => {
      for (const text of framesAfterReady) connection.send(text);
    });
  };

  const resume = (connection: Connection, request: Resume) => {
    const session = sessions.get(request.session_id);
    if (deafShards.has(session?.shardId ?? 0)) return undefined;
    if (!options.isToken(request.token)) {
      return connection.close(GatewayCloseCodes.AuthenticationFailed);
    }
    if (session === undefined) return connection.invalidate(false);
    if (!session.hasSent(request.seq)) return connection.close(GatewayCloseCodes.InvalidSeq);
    connections.set(connection, session);
    return session.resume(connection, request.seq);
  };

  const deliver = (event: GatewayEvent) => {
    if (!concernsBot(world, event)) return;
    for (const session of sessions.values()) session.tell(event);
  };

  return {
    /** All that clients sent, oldest first. */
    received: received satisfies readonly Received[],

    /** Serves a WebSocket that a client opened at this path. */
    accept(socket: WebSocket, path: string): void {
      const { clock } = world;
      const { heartbeatIntervalMs } = options;
      const connection = openConnection(
        socket,
        { clock, heartbeatIntervalMs },
        {
          identify,
          resume,
          requestMembers: (from, request) =>
            connections.get(from)?.tell(memberChunk(world, request.guild_id, request.nonce)),
          received: (opcode) => received.push({ opcode, path }),
          closed: (closed) => {
            connections.get(closed)?.disconnect(closed);
            connections.delete(closed);
          },
        },
      );
      connections.set(connection, undefined);
    },

    /** Tells every session; those that are not connected hear it when they resume. */
    dispatch(event: GatewayEvent): void {
      dispatched.push(event);
      deliver(event);
    },

    /** All that sessions were told of, oldest first. */
    dispatched: dispatched satisfies readonly GatewayEvent[],

    /** Sends a frame on every connection as it stands, whatever it says. */
    sendFrame(text: string): void {
      for (const connection of connections.keys()) connection.send(text);
    },

    /** From now on every READY is followed by this frame, before any guild. */
    sendAfterReady(text: string): void {
      framesAfterReady.push(text);
    },

    /** Tells every session again of all that happened of one kind, also before it began. */
    repeat(kind: GatewayEvent['t']): void {
      for (const event of dispatched.filter(({ t }) => t === kind)) deliver(event);
    },

    /** Ends every connection, or those of one shard: with a close code, or without a word. Sessions can be resumed. */
    dropConnections(code?: number, shard?: number): void {
      for (const [connection, session] of connections) {
        if (shard !== undefined && session?.shardId !== shard) continue;
        if (code === undefined) connection.cut();
        else connection.close(code);
      }
    },

    /** Op 7: asks every client to reconnect and resume. */
    requestReconnect(): void {
      for (const connection of connections.keys()) {
        connection.control(GatewayOpcodes.Reconnect, null);
      }
    },

    /** Op 9: the session is over, or (`isResumable`) has to be resumed. */
    invalidateSessions(isResumable: boolean): void {
      if (!isResumable) sessions.clear();
      for (const [connection, session] of connections) {
        session?.disconnect(connection);
        connection.invalidate(isResumable);
      }
    },

    /** The open connections stay up and nothing comes through any more. New ones work. */
    freezeConnections(): void {
      for (const connection of connections.keys()) connection.freeze();
    },

    /** From now on a RESUME of this shard is not answered, until {@link hear}. */
    deafen(shard = 0): void {
      deafShards.add(shard);
    },

    hear(): void {
      deafShards.clear();
    },

    /** From now on an IDENTIFY with a privileged intent is refused with 4014, whatever the portal's flags say. */
    disallowPrivilegedIntents(): void {
      allowedIntents = 0;
    },

    /** How many clients are connected with a session. */
    get connectedSessions(): number {
      return [...connections.values()].filter((session) => session !== undefined).length;
    },
  };
}

/** READY, then each guild before anything that happens in it. */
function welcome(
  { world, resumeUrl }: GatewayOptions,
  session: Session,
  afterReady: () => void,
): void {
  const guilds = [...world.state.guilds.values()].filter(
    ({ id, members }) =>
      members.has(world.bot.id) && shardOf(id, session.shardCount) === session.shardId,
  );
  session.tell({
    t: GatewayDispatchEvents.Ready,
    d: {
      v: 10,
      user: world.bot,
      guilds: guilds.map(({ id }) => ({ id, unavailable: true })),
      session_id: session.id,
      resume_gateway_url: resumeUrl(),
      shard: [session.shardId, session.shardCount],
      application: { id: world.applicationId, flags: noFlags, flags_new: '0' },
    },
    guildId: undefined,
  });
  afterReady();
  for (const guild of guilds) {
    session.tell({
      t: GatewayDispatchEvents.GuildCreate,
      d: guildCreatePayload(world, guild),
      guildId: guild.id,
    });
  }
}

function concernsBot({ state, bot }: World, event: GatewayEvent): boolean {
  const isPersonal = event.t === GatewayDispatchEvents.InteractionCreate;
  if (event.guildId === undefined || isPersonal) return true;
  if (state.guilds.get(event.guildId)?.members.has(bot.id) !== true) return false;
  const channel = event.channelId === undefined ? undefined : state.channels.get(event.channelId);
  return channel === undefined || may(state, channel, bot.id, 'ViewChannel');
}

function memberChunk(world: World, guildId: string, nonce: string | undefined): GatewayEvent {
  const members = [...(world.state.guilds.get(guildId)?.members.values() ?? [])];
  return {
    t: GatewayDispatchEvents.GuildMembersChunk,
    d: {
      guild_id: guildId,
      members: members.map(memberPayload),
      chunk_index: 0,
      chunk_count: 1,
      ...(nonce === undefined ? {} : { nonce }),
    },
    guildId,
  };
}
