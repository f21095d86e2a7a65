import type { App } from '../world/app.ts';
import type { Channel, Installation, Json } from '../world/records.ts';
import type { State } from '../world/state.ts';
import { eventCallback } from './event-callback.ts';
import type { Retries } from './retries.ts';
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
  /** When it was to be sent, oldest first, and whether the app was connected (ms since 1970). */
  readonly attempts: readonly { readonly at: number; readonly isConnected: boolean }[];
  /** `kept`: nobody was there; it is sent when the app is back. */
  readonly status: 'acknowledged' | 'not acknowledged' | 'kept';
}

export interface EventSender {
  /** Every event, oldest first. */
  readonly all: readonly Delivery[];
  /** How often each event is sent although it was acknowledged; 1 unless a test says otherwise. */
  copies: number;
  /** So many acknowledgements from now on are lost on their way: what they answered is sent again. */
  lostAcknowledgements: number;
  /** Whether Slack gives up what happens while no one is connected, as it does in the end; else it is kept. */
  givesUp: boolean;
  /** Tells the app, if it is to be told; waits for the acknowledgement. Gives nothing where it is not. */
  tell(happening: Happening): Promise<Delivery | undefined>;
  /** Sends an event again, as a retry. */
  redeliver(eventId: string, reason?: RetryReason): Promise<Delivery>;
  /** Sends what was kept or not acknowledged, in order. */
  deliverKept(): Promise<void>;
}

/** What an app is still told that was taken out of a workspace. */
const farewells: ReadonlySet<string> = new Set(['app_uninstalled', 'tokens_revoked']);

interface Open {
  delivery: Delivery;
  /** Sent, and neither acknowledged nor given up. */
  isUnderWay: boolean;
}

export function createEvents(options: {
  readonly app: App;
  readonly state: State;
  readonly transport: () => Transport;
  readonly nextEventId: () => string;
  readonly nowMs: () => number;
  readonly onSent: () => void;
  readonly retries: Retries;
}): EventSender {
  const { app, state, transport, nextEventId, nowMs, onSent, retries } = options;
  const open: Open[] = [];

  const isFor = (installation: Installation, happening: Happening): boolean => {
    const { subscription, scope, channel } = happening;
    if (!app.events.includes(subscription)) return false;
    if (installation.isRevoked) return farewells.has(subscription);
    if (scope !== undefined && !installation.scopes.has(scope)) return false;
    return channel === undefined || channel.members.has(installation.botUserId);
  };

  const isWaiting = ({ delivery, isUnderWay }: Open) =>
    delivery.status !== 'acknowledged' && !isUnderWay;

  const heard = (answer: Answer): Answer => {
    if (answer.kind !== 'acknowledged' || sender.lostAcknowledgements === 0) return answer;
    sender.lostAcknowledgements -= 1;
    return { kind: 'not acknowledged', reason: 'timeout' };
  };

  const send = async (item: Open, reason?: RetryReason): Promise<Delivery> => {
    const way = transport();
    const attempt = { at: nowMs(), isConnected: way.isUp() };
    item.delivery = { ...item.delivery, attempts: [...item.delivery.attempts, attempt] };
    if (!attempt.isConnected) {
      item.delivery = { ...item.delivery, status: 'kept' };
      return item.delivery;
    }
    const { tries, payload } = item.delivery;
    item.delivery = { ...item.delivery, tries: tries + 1 };
    const retry = tries > 0 ? ({ number: tries, reason: reason ?? 'timeout' } as const) : undefined;
    item.isUnderWay = true;
    const answer = heard(await way.send({ kind: 'events_api', payload, retry }));
    item.isUnderWay = false;
    item.delivery = {
      ...item.delivery,
      status:
        answer.kind === 'acknowledged'
          ? answer.kind
          : answer.reason === 'connection_failed'
            ? 'kept'
            : answer.kind,
    };
    if (answer.kind !== 'acknowledged') {
      retries.schedule(tries + 1, () => {
        if (isWaiting(item)) void send(item, answer.reason);
      });
    }
    onSent();
    return item.delivery;
  };

  const find = (eventId: string): Open => {
    const item = open.find(({ delivery }) => delivery.eventId === eventId);
    if (item === undefined) throw new Error(`No event ${eventId} was sent.`);
    return item;
  };

  const sender: EventSender = {
    get all() {
      return open.map(({ delivery }) => delivery);
    },
    copies: 1,
    lostAcknowledgements: 0,
    givesUp: false,

    async tell(happening) {
      const installation = state.installations.get(happening.teamId);
      if (installation === undefined || !isFor(installation, happening)) return undefined;
      if (sender.givesUp && !transport().isUp()) return undefined;
      const eventId = nextEventId();
      const { event, channel } = happening;
      const isShared = channel?.isShared ?? false;
      const told = { eventId, event, atMs: nowMs(), isShared };
      const payload = eventCallback(app, installation, told);
      const type = String(event.type);
      const item: Open = {
        delivery: { eventId, type, payload, tries: 0, attempts: [], status: 'kept' },
        isUnderWay: false,
      };
      open.push(item);
      const first = await send(item);
      if (first.status !== 'acknowledged') return first;
      for (let copy = 1; copy < sender.copies; copy += 1) await send(item);
      return item.delivery;
    },

    redeliver: (eventId, reason) => send(find(eventId), reason),

    async deliverKept() {
      for (const item of open) if (isWaiting(item)) await send(item);
    },
  };
  return sender;
}
