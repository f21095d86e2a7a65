/** One Socket Mode connection, kept open by Slack's library. */

import { SocketModeReceiver, type SocketModeReceiverOptions } from '@slack/bolt';
import { z } from 'zod';
import { within } from '../../../waiting.ts';

/** The library's internal events: a raw frame, and the event parsed from it. */
const frameEvents = [
  ['ws_message', 'a frame'],
  ['slack_event', 'an event'],
] as const;

/** How long Slack may take to confirm that the connection is closed. */
const closedWithinMs = 2000;

export interface SocketParts {
  readonly receiver: SocketModeReceiverOptions;
  readonly onConnected: () => void;
  /** The socket is closed or about to be. */
  readonly onClosed: () => void;
  /** Any frame arrived. */
  readonly onFrame: () => void;
  /** A frame could not be handled. */
  readonly onFailure: (what: string, error: unknown) => void;
  /** Waits until another socket is connected, so this one may close for its renewal. */
  readonly whenReplaceable: (socket: Socket) => Promise<void>;
}

/** One socket. The library reopens it some seconds after it closes. */
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
    // A pending start() rejects on this event, and nothing handles that rejection.
    client.removeAllListeners('disconnected');
    // The library takes half a minute to give up a socket that is still connecting.
    const isConnecting = client.websocket?.readyState === WebSocket.CONNECTING;
    if (isConnecting) await within(this.connected, { ms: closedWithinMs });
    // A second disconnect() closes the socket without waiting for Slack.
    const timer = setTimeout(() => void client.disconnect(), closedWithinMs);
    await within(client.disconnect(), { ms: 2 * closedWithinMs });
    clearTimeout(timer);
  }

  /** The library does not await its frame handlers, so an error in one would end the process. */
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

  /** @returns `false` if Slack has closed the socket meanwhile: the library may already have a new one open. */
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

/** Whether Slack announces that it will close the socket. The library closes it as soon as it sees this frame. */
function isDisconnectFrame(frame: unknown): boolean {
  if (typeof frame !== 'string' || !frame.includes('"disconnect"')) return false;
  return disconnectSchema.safeParse(JSON.parse(frame)).success;
}
