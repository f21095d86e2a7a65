/** Fills what a command is given to work with, for one invocation. */

import type { Command } from '../../commands/command.ts';
import type { CommandContext } from '../../commands/context.ts';
import type { Invocation } from '../platforms/platform.ts';
import { changeSettings, fieldsOf } from './change-settings.ts';
import { readChannel } from './channels.ts';
import { customSagesFor } from './custom-sages.ts';
import { type DraftingOptions, draftingIn } from './drafting.ts';
import type { TurnRunOptions } from './turn-run.ts';

/** What concerns turns; the bot's own. */
export type TurnVerbs = Pick<CommandContext, 'ask' | 'receipt' | 'deliberation' | 'stop'>;

/** Reads what holds in the place, in one step. */
export async function commandContext(
  { place, person }: Pick<Invocation, 'place' | 'person'>,
  commands: readonly Command<CommandContext>[],
  options: TurnRunOptions & DraftingOptions,
  verbs: TurnVerbs,
): Promise<CommandContext> {
  const { council, store, now } = options;
  const { channel } = await readChannel(options, place.threadId);
  const draftPrompt = draftingIn(channel, place.threadId, person.id, options);
  return {
    ...verbs,
    place,
    person,
    bench: channel.council.bench,
    commands,
    customSages: customSagesFor({ store, channel, person, draftPrompt, now }),
    settings: async (scope) => {
      const { channel: current } = await readChannel(options, place.threadId);
      return fieldsOf(scope, current, council);
    },
    changeSettings: (scope, changes) =>
      changeSettings(scope, changes, { store: store.settings, channel, council, person, now }),
  };
}
