import type { Log } from '../../../domain/log.ts';
import type { Ingress } from '../../platform.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { People } from './people.ts';
import type { Readers } from './readers.ts';

/** What every handler of an event needs. */
export interface IngressContext {
  readonly ingress: Ingress;
  readonly api: SlackApi;
  readonly people: People;
  readonly readers: Readers;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
