/** What the rooms of the bot work with, wired once where the program begins. */

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

/** The links by which others read a turn on the web. */
export interface TurnLinks {
  /** Makes one, or gives the one that was made: its whole address. */
  make(turn: TurnKey): Promise<string>;
  withdraw(turn: TurnKey): Promise<void>;
}

export interface BotParts
  extends ChannelsOptions,
    Pick<Coordination, 'queue' | 'stops' | 'quotas'>,
    Pick<KeptQuestionsOptions, 'abandonedAfterMs' | 'takenUpWithinMs'> {
  readonly commands: readonly Command<CommandContext>[];
  /** How long a question may be, how many may be open, and how many remarks are judged. */
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
  /** How much of people's conversation is read for a question. */
  readonly hearing: ReadingLimits;
  /** Which addresses links may lead to; absent: the public internet alone. */
  readonly mayConnect?: MayConnect | undefined;
  /** Absent: no page is served that others reach. */
  readonly links?: TurnLinks | undefined;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
