/** Under which names and pictures the sages of a turn appear, where a platform lets them have their own. */

import type { Sage } from '../../../council/council.ts';
import type { Seat } from '../../../council/events.ts';
import { shortName } from '../text/visible-text.ts';

/** How a sage of one turn appears. */
export interface Appearance {
  /** 1 to {@link longestName} characters; unique in its turn, whatever the case. */
  readonly name: string;
  /** Public https address of a picture. */
  readonly avatarUrl?: string;
}

/** Makes a name one that the platform takes, of 1 to {@link longestName} characters. */
export type FitName = (name: string) => string;

/** In UTF-16 units; Discord's bound, and as much as Slack shows. */
export const longestName = 80;
/** Names under which nobody but people should speak. */
const soundsLikeStaff =
  /\b(?:admin\w*|mod|mods|moderator\w*|staff|owner|support|official|system|automod|council)\b/i;

/** @returns The name under which a sage speaks, if no other sage of the turn has it. */
export function speakingName(sage: Pick<Sage, 'name' | 'source'>, fitName: FitName): string {
  const name = fitName(sage.name);
  const isDoubtful = sage.source !== 'predefined' && soundsLikeStaff.test(name);
  return isDoubtful ? withSuffix(name, ' (a sage)', fitName) : name;
}

/** By the sages' keys. */
export function appearancesOf(
  seats: readonly Seat[],
  fitName: FitName,
): ReadonlyMap<string, Appearance> {
  const appearances = new Map<string, Appearance>();
  const taken = new Set<string>();
  for (const { sage } of seats) {
    const plain = speakingName(sage, fitName);
    let name = plain;
    for (let number = 2; taken.has(name.toLowerCase()); number++)
      name = withSuffix(plain, ` (${number})`, fitName);
    taken.add(name.toLowerCase());
    const { avatarUrl } = sage;
    appearances.set(sage.key, {
      name,
      ...(avatarUrl?.startsWith('https://') ? { avatarUrl } : {}),
    });
  }
  return appearances;
}

function withSuffix(name: string, suffix: string, fitName: FitName): string {
  return fitName(`${shortName(name, longestName - suffix.length)}${suffix}`);
}
