import type { Json } from '../world/records.ts';

/** `ok: false`: Slack understood and says no. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  /** e.g. `channel_not_found`. */
  readonly code: string;
  /** What is answered besides `ok` and `error`. */
  readonly details: Json;
  constructor(code: string, details: Json = {}) {
    super(`Slack says ${code}.`);
    this.code = code;
    this.details = details;
  }
}
