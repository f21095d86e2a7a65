/** What people can do below a verdict, as buttons and a menu. */

import { ButtonStyle, ComponentType } from 'discord.js';
import { firstCharacters } from '../../../domain/words.ts';
import { againLabel, postLabel, type VerdictOffers } from '../../chat/show/verdict-offers.ts';
import { customIdOf } from '../custom-id.ts';
import { button, buttonRow, type Row, textPart } from './components.ts';

/** Discord's bound for the label of an option, in characters. */
const longestOption = 100;
/** Room that the parts below a verdict leave to it. */
export const longestUses = 300;

/** Parts of a container. */
export function belowVerdict(turnId: string, offers: VerdictOffers) {
  const { again, next, mayPost, notes } = offers;
  const uses = firstCharacters(notes.map((note) => `-# ${note}`).join('\n'), longestUses);
  return [
    ...(uses === '' ? [] : [textPart(uses)]),
    ...buttonRow([
      button('👍', { kind: 'feedback', turnId, rating: 'good' }),
      button('👎', { kind: 'feedback', turnId, rating: 'bad' }),
      button('Receipt', { kind: 'view', view: 'receipt', turnId }),
      ...(mayPost ? [button(postLabel, { kind: 'post', turnId })] : []),
    ]),
    ...againMenu(turnId, again),
    ...buttonRow(
      next.map(({ question, number }) =>
        button(question, { kind: 'next', turnId, number }, ButtonStyle.Primary),
      ),
    ),
  ];
}

function againMenu(turnId: string, again: VerdictOffers['again']): readonly Row[] {
  const custom_id = customIdOf({ kind: 'one', turnId });
  if (custom_id === undefined || again.length === 0) return [];
  const options = again.map(({ label, pick }) => ({
    label: firstCharacters(label, longestOption),
    value: pick,
  }));
  const menu = { type: ComponentType.StringSelect, custom_id, placeholder: againLabel, options };
  return [
    { type: ComponentType.ActionRow, components: [{ ...menu, type: ComponentType.StringSelect }] },
  ];
}
