import type { Place, Reply } from '../../../../commands/command.ts';
import type { Log } from '../../../domain/log.ts';
import type { RefusalBrake } from '../../chat/asking/said-questions.ts';
import type { KnownCommand } from '../../chat/text/command-line.ts';
import type { Ingress } from '../../platform.ts';
import type { FollowUps } from '../follow-ups.ts';
import type { OpeningCards } from '../presenter/opening-cards.ts';

/** What every handler of an event needs. */
export interface IngressContext {
  readonly ingress: Ingress;
  readonly commands: readonly KnownCommand[];
  readonly cards: OpeningCards;
  readonly followUps: FollowUps;
  readonly brake: RefusalBrake;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Messages come with their text, also where the bot is not mentioned. */
  readonly readsContent: () => boolean;
  /** What to tell a manager of this channel in private, once; absent: nothing. */
  readonly noticeFor: (channelId: string) => string | undefined;
  /** Posts a reply in a place. Throws what Discord throws. */
  readonly reply: (place: Place, reply: Reply) => Promise<void>;
  /** True once no more events are accepted. */
  readonly isStopping: () => boolean;
}
