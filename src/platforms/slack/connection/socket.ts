/** One socket of Socket Mode, kept open by the library. */

import { SocketModeReceiver, type SocketModeReceiverOptions } from '@slack/bolt';
import { z } from 'zod';
import { within } from '../../../waiting.ts';

/** What the library tells itself of: a frame as it came, and what it found in it. */
const frameEvents = [
  ['ws_message', 'a frame'],
  ['slack_event', 'an event'],
] as const;

/** How long the other side may take to answer that the connection is closed. */
const closedWithinMs = 2000;

export interface SocketParts {
  readonly receiver: SocketModeReceiverOptions;
  readonly onConnected: () => void;
  /** It is closed, or about to be. */
  readonly onClosed: () => void;
  /** Anything has come over it. */
  readonly onFrame: () => void;
  /** What came could not be handled. */
  readonly onFailure: (what: string, error: unknown) => void;
  /** Waits until it may be closed for its renewal. */
  readonly whenReplaceable: (socket: Socket) => Promise<void>;
}

/** One socket, which the library opens anew some seconds after it was closed. */
export class Socket {
  readonly receiver: SocketModeReceiver;
  readonly #parts: SocketParts;
  #connected = Promise.withResolvers<void>();
  #isConnected = false;

  constructor(parts: SocketParts) {
    this.#parts = parts;
    this.receiver = new SocketModeReceiver(parts.receiver);
    this.#guard();
    const { client } = this.receiver;
    client.on('connected', () => {
      this.#isConnected = true;
      this.#connected.resolve();
      parts.onConnected();
    });
    client.on('close', () => this.#lost());
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** Resolves once it is connected. */
  get connected(): Promise<void> {
    return this.#connected.promise;
  }

  async close(): Promise<void> {
    const { client } = this.receiver;
    // A connection that is being made waits for this event, and its failure would be an unhandled rejection.
    client.removeAllListeners('disconnected');
    // One that is given up while it is being made takes the library half a minute to let go of.
    const isBeingMade = client.websocket?.readyState === WebSocket.CONNECTING;
    if (isBeingMade) await within(this.connected, { ms: closedWithinMs });
    // Asking a second time ends it without the other side.
    const timer = setTimeout(() => void client.disconnect(), closedWithinMs);
    await within(client.disconnect(), { ms: 2 * closedWithinMs });
    clearTimeout(timer);
  }

  /** The library handles frames in functions that it does not await: what they throw would end the process. */
  #guard(): void {
    const { client } = this.receiver;
    for (const [event, what] of frameEvents) {
      const listeners = client.listeners(event);
      if (listeners.length === 0) throw new Error(`The library no longer listens for ${event}.`);
      client.removeAllListeners(event);
      client.on(event, async (...args: readonly unknown[]) => {
        try {
          this.#parts.onFrame();
          if (isDisconnectFrame(args[0]) && !(await this.#mayClose())) return;
          for (const listener of listeners) await Reflect.apply(listener, client, args);
        } catch (error) {
          this.#parts.onFailure(what, error);
        }
      });
    }
  }

  /** @returns `false` where Slack has closed it meanwhile: by then it may be another that is open. */
  async #mayClose(): Promise<boolean> {
    const { promise } = this.#connected;
    await this.#parts.whenReplaceable(this);
    if (this.#connected.promise !== promise) return false;
    this.#lost();
    return true;
  }

  #lost(): void {
    if (this.#isConnected) this.#connected = Promise.withResolvers();
    this.#isConnected = false;
    this.#parts.onClosed();
  }
}

const disconnectSchema = z.object({ type: z.literal('disconnect') });

/** Whether a frame says that Slack will close the socket; the library closes it as soon as it reads that. */
function isDisconnectFrame(frame: unknown): boolean {
  if (typeof frame !== 'string' || !frame.includes('"disconnect"')) return false;
  return disconnectSchema.safeParse(JSON.parse(frame)).success;
}
