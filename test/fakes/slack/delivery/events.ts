import type { App } from '../world/app.ts';
import type { Channel, Json } from '../world/records.ts';
import type { State } from '../world/state.ts';
import type { Answer, RetryReason, Transport } from './transport.ts';

/** Something that happened, as the Events API tells of it. */
export interface Happening {
  readonly teamId: string;
  /** What the app has to be subscribed to, e.g. `message.channels`. */
  readonly subscription: string;
  /** The scope without which it is not told. */
  readonly scope?: string;
  /** Where; the app is told of conversations that it is a member of. */
  readonly channel?: Channel;
  readonly event: Json;
}

/** One event on its way to the app, and what became of it so far. */
export interface Delivery {
  readonly eventId: string;
  /** e.g. `app_mention`. */
  readonly type: string;
  /** What is sent: the event in its callback. */
  readonly payload: Json;
  /** How often it was sent. */
  readonly tries: number;
  /** `kept`: nobody was there; it is sent when the app is back. */
  readonly status: 'acknowledged' | 'not acknowledged' | 'kept';
}

export interface EventSender {
  /** Every event, oldest first. */
  readonly all: readonly Delivery[];
  /** How often each event is sent although it was acknowledged; 1 unless a test says otherwise. */
  copies: number;
  /** Tells the app, if it is to be told; waits for the acknowledgement. Gives nothing where it is not. */
  tell(happening: Happening): Promise<Delivery | undefined>;
  /** Sends an event again, as a retry. */
  redeliver(eventId: string, reason?: RetryReason): Promise<Delivery>;
  /** Sends what was kept or not acknowledged, in order. */
  deliverKept(): Promise<void>;
}

interface Open {
  delivery: Delivery;
}

export function createEvents(options: {
  readonly app: App;
  readonly state: State;
  readonly transport: () => Transport;
  readonly nextEventId: () => string;
  readonly nowMs: () => number;
  readonly onSent: () => void;
}): EventSender {
  const { app, state, transport, nextEventId, nowMs, onSent } = options;
  const open: Open[] = [];

  const isFor = ({ teamId, subscription, scope, channel }: Happening): boolean => {
    const installation = state.installations.get(teamId);
    if (installation === undefined || !app.events.includes(subscription)) return false;
    if (installation.isRevoked)
      return subscription === 'app_uninstalled' || subscription === 'tokens_revoked';
    if (scope !== undefined && !installation.scopes.has(scope)) return false;
    return channel === undefined || channel.members.has(installation.botUserId);
  };

  const send = async (item: Open, reason?: RetryReason): Promise<Delivery> => {
    const way = transport();
    if (!way.isUp()) {
      item.delivery = { ...item.delivery, status: 'kept' };
      return item.delivery;
    }
    const { tries, payload } = item.delivery;
    item.delivery = { ...item.delivery, tries: tries + 1 };
    const retry = tries > 0 ? ({ number: tries, reason: reason ?? 'timeout' } as const) : undefined;
    const answer: Answer = await way.send({ kind: 'events_api', payload, retry });
    item.delivery = {
      ...item.delivery,
      status:
        answer.kind === 'acknowledged'
          ? answer.kind
          : answer.reason === 'connection_failed'
            ? 'kept'
            : answer.kind,
    };
    onSent();
    return item.delivery;
  };

  const find = (eventId: string): Open => {
    const item = open.find(({ delivery }) => delivery.eventId === eventId);
    if (item === undefined) throw new Error(`No event ${eventId} was sent.`);
    return item;
  };

  return {
    get all() {
      return open.map(({ delivery }) => delivery);
    },
    copies: 1,

    async tell(happening) {
      if (!isFor(happening)) return undefined;
      const eventId = nextEventId();
      const installation = state.installations.get(happening.teamId);
      const item: Open = {
        delivery: {
          eventId,
          type: String(happening.event.type),
          tries: 0,
          status: 'kept',
          payload: {
            token: 'verification-token',
            team_id: happening.teamId,
            api_app_id: app.id,
            event: happening.event,
            type: 'event_callback',
            event_id: eventId,
            event_time: Math.floor(nowMs() / 1000),
            event_context: `EC-${eventId}`,
            authorizations: [
              {
                enterprise_id: null,
                team_id: happening.teamId,
                user_id: installation?.botUserId,
                is_bot: true,
                is_enterprise_install: false,
              },
            ],
            is_ext_shared_channel: false,
          },
        },
      };
      open.push(item);
      const first = await send(item);
      if (first.status !== 'acknowledged') return first;
      for (let copy = 1; copy < this.copies; copy += 1) await send(item);
      return item.delivery;
    },

    redeliver: (eventId, reason) => send(find(eventId), reason),

    async deliverKept() {
      for (const item of open.filter(({ delivery }) => delivery.status !== 'acknowledged')) {
        await send(item);
      }
    },
  };
}
