/** Who may do what, and what is said to those who may not. Each throws `CommandError` for them. */

import { CommandError, type Person } from '../../../commands/command.ts';
import type { TurnRequest } from '../../domain/turn.ts';
import type { ChannelScope } from '../../settings/setting-field.ts';

/** @param what - E.g. `pin what is remembered here`. */
export function assertManager({ isManager }: Pick<Person, 'isManager'>, what: string): void {
  if (!isManager) throw new CommandError(`Only those who may manage this channel can ${what}.`);
}

/** For what holds in one channel, or in a whole server. @param what - E.g. `change its presets`. */
export function assertManagerOf(scope: ChannelScope, person: Person, what: string): void {
  if (scope === 'channel') assertManager(person, what);
  else if (!person.isServerManager) {
    throw new CommandError(`Only those who may manage the whole server can ${what}.`);
  }
}

/** Whether a turn is the person's own, or they manage its channel. */
export function isTheirs(person: Person, { author }: Pick<TurnRequest, 'author'>): boolean {
  return person.isManager || author.id === person.id;
}

/** For what the person who asked may do, and managers. @param what - E.g. `share it`. */
export function assertTheirs(
  person: Person,
  request: Pick<TurnRequest, 'author'>,
  what: string,
): void {
  if (isTheirs(person, request)) return;
  throw new CommandError(
    `Only the person who asked, and those who manage this channel, can ${what}.`,
  );
}
