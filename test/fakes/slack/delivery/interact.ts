import type { Json } from '../world/records.ts';
import type { Answer, Transport } from './transport.ts';

/** What became of a command, a press, a submitted modal. */
export type Interaction =
  /** `payload` is what the app acknowledged it with. */
  | { readonly status: 'acknowledged'; readonly payload: unknown }
  /** No one was there, or not within three seconds; the person sees that it failed. Slack does not try again. */
  | { readonly status: 'failed'; readonly reason: string };

export type Interact = (
  kind: 'slash_commands' | 'interactive',
  payload: Json,
) => Promise<Interaction>;

/** Tells the app once and waits for its acknowledgement. */
export function createInteract(transport: () => Transport, onAnswered: () => void): Interact {
  return async (kind, payload) => {
    const answer: Answer = await transport().send({ kind, payload, retry: undefined });
    onAnswered();
    if (answer.kind === 'acknowledged') return { status: 'acknowledged', payload: answer.payload };
    return { status: 'failed', reason: answer.reason };
  };
}
