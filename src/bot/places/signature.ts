import type { Person } from '../../../commands/command.ts';
import { oneLine } from '../../domain/words.ts';

const mostNameChars = 80;

/** Who made a setting, as it is kept: the name that people know and the id that stays. */
export function signatureOf({ id, name }: Pick<Person, 'id' | 'name'>): string {
  return `${oneLine(name).slice(0, mostNameChars)} (${id})`;
}
