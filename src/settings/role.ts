/** Which part of the work a process does, as the environment says. */

import type { Mistake } from './config-error.ts';
import type { Environment } from './secrets.ts';

/** `gateway`: takes in what people ask. `worker`: runs their turns. `all`: both. */
export const roles = ['all', 'gateway', 'worker'] as const;
export type Role = (typeof roles)[number];

export const roleVariable = 'COUNCIL_ROLE';

/** The role; `all` where none is named. */
export function readRole(variables: Environment): {
  readonly role: Role;
  readonly mistakes: readonly Mistake[];
} {
  const named = variables[roleVariable];
  const role = roles.find((one) => one === named);
  const mistake = (text: string) => ({
    role: 'all' as const,
    mistakes: [{ file: 'environment', setting: roleVariable, text }],
  });
  if (named === undefined) return { role: 'all', mistakes: [] };
  if (role === undefined) return mistake(`it is none of ${roles.join(', ')}. Write one of them`);
  if (role !== 'all' && variables.REDIS_URL === undefined) {
    return mistake(
      `a ${role} shares its work with other processes through Redis. Set REDIS_URL, or take ${roleVariable} out`,
    );
  }
  return { role, mistakes: [] };
}
