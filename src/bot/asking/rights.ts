import type { Person } from '../../../commands/command.ts';
import { validateChange } from '../../settings/channel-settings.ts';
import type { Channel } from '../places/channels.ts';

/** A person with what the settings allow them, beside what their platform vouches for. */
export function withNamedRights(person: Person, channel: Channel): Person {
  const isServerManager = person.isServerManager || isNamed(person, 'server', channel);
  const isManager = person.isManager || isServerManager || isNamed(person, 'channel', channel);
  return { ...person, isManager, isServerManager };
}

function isNamed({ id }: Person, scope: 'channel' | 'server', { layers, known }: Channel): boolean {
  const kept = layers[scope].managers;
  const judged = kept && validateChange('managers', kept.value, known);
  return judged?.status === 'valid' && judged.value !== 'nobody' && judged.value.includes(id);
}
