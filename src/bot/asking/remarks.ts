/**
 * Rules for whether a message is meant for the council. They decide only clear cases and leave the rest to the
 * moderator, see `overheard.ts`. They run before anything is shown, queued or stored: an unwanted council
 * costs money and patience, and an unanswered question costs trust.
 */

import { addressedSage, addressesCouncil } from '../../council/addressing.ts';
import type { Sage } from '../../domain/turn.ts';
import { isAddressed, type Remark } from '../../platforms/platform.ts';
import type { FollowUpMode } from '../../settings/file-table.ts';
import { chatterIn } from './chatter.ts';

/** @returns Whether the message is meant for the council or just greets it. `undefined`: that depends on the channel. */
export function judgeByText(remark: Remark): boolean | 'greeting' | undefined {
  const { text, where, namesCouncil } = remark;
  const chatter = chatterIn(text);
  if (isAddressed(remark) && chatter === 'greeting') return 'greeting';
  // A link sent to the council is a request.
  if (namesCouncil) return chatter !== 'closing' && chatter !== 'answer';
  // A bare “yes” may answer a question of the council's.
  if (chatter && !(chatter === 'answer' && where === 'thread')) return false;
  if (where === 'direct message') return true;
  return where === 'thread' ? undefined : false;
}

/** A leading `@bob` that the platform did not turn into a mention. */
const atName = /^\s*@[\p{L}\p{N}]/u;

/**
 * For a message in a council's thread that does not name the council.
 *
 * @param rules.bench - The sages that can be addressed by name.
 * @returns `undefined` where rules can't tell.
 */
export function judgeByRules(
  { text, isForOthers }: Remark,
  { mode, bench }: { readonly mode: FollowUpMode; readonly bench: readonly Sage[] },
): boolean | undefined {
  if (mode === 'mention' || isForOthers) return false;
  if (mode === 'everything') return true;
  if (addressesCouncil(text) || addressedSage(text, bench, { ignoresGivenNames: true })) {
    const chatter = chatterIn(text.replace(/^[^:：,，、]*[:：,，、]/, ''));
    return chatter !== 'closing' && chatter !== 'greeting';
  }
  return atName.test(text) ? false : undefined;
}
