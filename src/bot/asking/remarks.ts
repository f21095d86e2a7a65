/**
 * Whether a message is meant for the council, as far as rules tell. They decide only what is certain, and
 * leave the rest to the moderator: see `overheard.ts`. Judged before anything is shown, queued or stored:
 * an unwanted council costs money and patience, and an unheard question costs trust.
 */

import { addressedSage, addressesCouncil } from '../../council/addressing.ts';
import type { Sage } from '../../domain/turn.ts';
import { isAddressed, type Remark } from '../../platforms/platform.ts';
import type { FollowUpMode } from '../../settings/file-table.ts';
import { chatterIn } from './chatter.ts';

/** What holds where something was said. */
export interface Hearing {
  readonly mode: FollowUpMode;
  /** Who may be addressed by name. */
  readonly bench: readonly Sage[];
}

/** @returns Whether it is meant, or a mere greeting of the council; `undefined` where that depends on the {@link Hearing}. */
export function judgedAlone(remark: Remark): boolean | 'greeting' | undefined {
  const { text, where, namesCouncil } = remark;
  const chatter = chatterIn(text);
  if (isAddressed(remark) && chatter === 'greeting') return 'greeting';
  // A person who shows the council a link expects something of it.
  if (namesCouncil) return chatter !== 'closing' && chatter !== 'answer';
  // A bare “yes” may answer what the council has asked in its thread.
  if (chatter && !(chatter === 'answer' && where === 'thread')) return false;
  if (where === 'direct message') return true;
  return where === 'thread' ? undefined : false;
}

/** `@bob` at the beginning that the platform made no mention of. */
const atName = /^\s*@[\p{L}\p{N}]/u;

/**
 * For what was said in a thread of the council without naming it.
 *
 * @returns `undefined` where rules can't tell.
 */
export function judgedIn(
  { text, isForOthers }: Remark,
  { mode, bench }: Hearing,
): boolean | undefined {
  if (mode === 'mention' || isForOthers) return false;
  if (mode === 'everything') return true;
  if (addressesCouncil(text) || addressedSage(text, bench)) return true;
  return atName.test(text) ? false : undefined;
}
