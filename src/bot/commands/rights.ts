/** People's rights. The assertions throw a `CommandError` that says who is allowed. */

import { CommandError, type Person } from '../../../commands/command.ts';
import type { TurnRequest } from '../../domain/turn.ts';
import { validateChange } from '../../settings/channel-settings.ts';
import type { ChannelScope } from '../../settings/setting-field.ts';
import type { Store } from '../../store/store.ts';
import type { Channel } from '../places/channels.ts';

/** Adds the rights granted by the settings to those granted by the platform. */
export function withGrantedRights(person: Person, channel: Channel): Person {
  const isServerManager = person.isServerManager || isManagerIn(person, 'server', channel);
  const isManager = person.isManager || isServerManager || isManagerIn(person, 'channel', channel);
  return { ...person, isManager, isServerManager };
}

function isManagerIn(
  { id }: Person,
  scope: 'channel' | 'server',
  { layers, known }: Channel,
): boolean {
  const stored = layers[scope].managers;
  const managers = stored && validateChange('managers', stored.value, known);
  return managers?.status === 'valid' && managers.value !== 'nobody' && managers.value.includes(id);
}

/** @param what - E.g. `pin what is remembered here`. */
export function assertManager({ isManager }: Pick<Person, 'isManager'>, what: string): void {
  if (!isManager) throw new CommandError(`Only those who may manage this channel can ${what}.`);
}

/** Asserts rights for a channel or a whole server. @param what - E.g. `change its presets`. */
export function assertManagerOf(scope: ChannelScope, person: Person, what: string): void {
  if (scope === 'channel') assertManager(person, what);
  else if (!person.isServerManager) {
    throw new CommandError(`Only those who may manage the whole server can ${what}.`);
  }
}

/** The pause between two requests that read a whole workspace or channel, in milliseconds. */
const restMs = 10_000;

/** Asserts that a person has not just asked for the same. @param what - What was asked, and by whom. */
export async function assertRested(
  store: Pick<Store, 'claim'>,
  what: readonly (string | boolean)[],
): Promise<void> {
  if (await store.claim(what.join(':'), restMs)) return;
  throw new CommandError('You asked for that a moment ago. Try again in ten seconds.');
}

/** Whether the person asked the question or manages its channel. */
export function mayManageTurn(person: Person, { author }: Pick<TurnRequest, 'author'>): boolean {
  return person.isManager || author.id === person.id;
}

/** Asserts that the person asked the question or manages its channel. @param what - E.g. `share it`. */
export function assertMayManageTurn(
  person: Person,
  request: Pick<TurnRequest, 'author'>,
  what: string,
): void {
  if (mayManageTurn(person, request)) return;
  throw new CommandError(
    `Only the person who asked, and those who manage this channel, can ${what}.`,
  );
}
