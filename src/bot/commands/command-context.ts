/** Fills what a command is given to work with, for one invocation. */

import type { Command } from '../../../commands/command.ts';
import type { CommandContext } from '../../../commands/context.ts';
import { type Channel, readChannel } from '../places/channels.ts';
import type { TurnRunOptions } from '../running/turn-run.ts';
import { archiveFor } from './archive-verb.ts';
import { changeSettings, fieldsOf } from './change-settings.ts';
import { type CouncilMemoryOptions, councilMemoryFor } from './council-memory.ts';
import { customSagesFor } from './custom-sages.ts';
import { type MinutesOptions, minutesOf } from './minutes.ts';
import type { TurnVerbs } from './turn-verbs.ts';

/** @param channel - As it was read for this command. */
export function commandContext(
  { place, person, channel }: Pick<CommandContext, 'place' | 'person'> & { channel: Channel },
  commands: readonly Command<CommandContext>[],
  options: TurnRunOptions & MinutesOptions & CouncilMemoryOptions,
  verbs: TurnVerbs,
): CommandContext {
  const { council, store, money, now } = options;
  const { threadId } = place;
  return {
    ...verbs,
    place,
    person,
    bench: channel.council.bench,
    commands,
    archive: (reach) => archiveFor(store, place, person, reach),
    customSages: customSagesFor({ store, channel, person, threadId, money, now }),
    memory: councilMemoryFor({ place, person, channel }, options),
    minutes: () => minutesOf(place, person, channel, options),
    now,
    settings: async (scope) => {
      const { channel: current } = await readChannel(options, place.threadId);
      return fieldsOf(scope, current, council);
    },
    changeSettings: (scope, changes) =>
      changeSettings(scope, changes, { store: store.settings, channel, council, person, now }),
  };
}
