/** The dependencies of the bot, wired once in `src/app/application.ts`. */

import type { Command } from '../../commands/command.ts';
import type { CommandContext } from '../../commands/context.ts';
import type { ReadingLimits } from '../domain/heard.ts';
import type { Log } from '../domain/log.ts';
import type { Platform } from '../platforms/platform.ts';
import type { Coordination } from '../queue/coordination.ts';
import type { Settings } from '../settings/file-table.ts';
import type { MayConnect } from '../sources/sources.ts';
import type { Store, TurnKey } from '../store/store.ts';
import type { KeptQuestionsOptions } from './asking/kept-questions.ts';
import type { AccessLists } from './money/budgets.ts';
import type { Money } from './money/money.ts';
import type { ChannelsOptions } from './places/channels.ts';
import type { TurnMemory } from './running/turn-memory.ts';

/** Public links to turns on the web. */
export interface TurnLinks {
  /** Makes a link or returns the existing one, as a full URL. */
  make(turn: TurnKey): Promise<string>;
  withdraw(turn: TurnKey): Promise<void>;
}

export interface BotParts
  extends ChannelsOptions,
    Pick<Coordination, 'queue' | 'stops' | 'quotas' | 'unreserved'>,
    Pick<KeptQuestionsOptions, 'abandonedAfterMs' | 'takenUpWithinMs'> {
  readonly commands: readonly Command<CommandContext>[];
  /** Limits of the length of a question, of open questions, and of judged remarks. */
  readonly limits: Pick<
    Settings['limits'],
    | 'maxQuestionChars'
    | 'maxQueuedTurnsPerUser'
    | 'maxQueuedTurnsPerThread'
    | 'overheardPerThreadPerHour'
  >;
  /** Who may ask. */
  readonly access: AccessLists;
  readonly store: Store;
  readonly money: Money;
  readonly memory: TurnMemory;
  readonly platforms: readonly Platform[];
  /** How much of the surrounding conversation is read for a question. */
  readonly hearing: ReadingLimits;
  /** Which addresses links may lead to. Absent: only the public internet. */
  readonly mayConnect?: MayConnect | undefined;
  /** Absent: no public page is served. */
  readonly links?: TurnLinks | undefined;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
