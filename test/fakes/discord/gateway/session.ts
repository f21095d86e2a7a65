import { GatewayDispatchEvents, GatewayIntentBits, GatewayOpcodes } from 'discord-api-types/v10';
import { visibleTo } from '../messages/visible-content.ts';
import { shardOf } from '../world/snowflakes.ts';
import { type GatewayEvent, isIntended } from './events.ts';

/** A line to the client: text goes out while the line is up. */
export interface Line {
  send(payload: string): void;
  close(code?: number): void;
}

interface SentEvent {
  readonly sequence: number;
  readonly payload: string;
}

/** What outlives a connection: who identified, what it wants to hear, and all that it was told. */
export interface Session {
  readonly id: string;
  readonly shardId: number;
  readonly shardCount: number;
  /** Connects the session to a line and repeats what was missed after `sequence`. */
  resume(line: Line, sequence: number): void;
  /** Whether the client can have seen an event of this number. */
  hasSent(sequence: number): boolean;
  /** From now on events are kept for a resume. */
  disconnect(line: Line): void;
  /** Tells the client, if it wants to hear of this. */
  tell(event: GatewayEvent): void;
}

export interface SessionOptions {
  readonly id: string;
  readonly intents: number;
  readonly shardId: number;
  readonly shardCount: number;
  readonly botId: string;
  readonly line: Line;
}

/** Opens a session on a line. Every event is numbered and kept, so that it can be repeated. */
export function openSession(options: SessionOptions): Session {
  const { id, intents, shardId, shardCount, botId } = options;
  const sent: SentEvent[] = [];
  let line: Line | undefined = options.line;
  const reader = {
    botId,
    mayReadContent: (intents & GatewayIntentBits.MessageContent) !== 0,
  };

  const isMine = ({ guildId }: GatewayEvent) =>
    (guildId === undefined ? 0 : shardOf(guildId, shardCount)) === shardId;

  const transmit = (t: string, d: unknown) => {
    const sequence = sent.length + 1;
    const payload = JSON.stringify({ op: GatewayOpcodes.Dispatch, t, s: sequence, d });
    sent.push({ sequence, payload });
    line?.send(payload);
  };

  return {
    id,
    shardId,
    shardCount,
    hasSent: (sequence) => sequence <= sent.length,
    disconnect: (closed) => {
      if (line === closed) line = undefined;
    },
    resume: (opened, sequence) => {
      line = opened;
      for (const missed of sent.filter((event) => event.sequence > sequence)) {
        opened.send(missed.payload);
      }
      transmit(GatewayDispatchEvents.Resumed, {});
    },
    tell: (event) => {
      if (event.t === GatewayDispatchEvents.Ready) transmit(event.t, event.d);
      else if (isMine(event) && isIntended(intents, event)) {
        transmit(event.t, shownData(event, reader));
      }
    },
  };
}

function shownData(event: GatewayEvent, reader: Parameters<typeof visibleTo>[0]): unknown {
  switch (event.t) {
    case GatewayDispatchEvents.MessageCreate:
    case GatewayDispatchEvents.MessageUpdate:
      return visibleTo(reader, event.d, event.guildId === undefined);
    default:
      return event.d;
  }
}
