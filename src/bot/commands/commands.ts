/** Runs commands: finds one, checks who gave it, and gives it what it works with. */

import {
  CommandError,
  faultWords,
  optionsIn,
  type Person,
  type Place,
  type Reply,
  refusal,
  UnknownIdError,
} from '../../../commands/command.ts';
import type { CommandContext } from '../../../commands/context.ts';
import { recordedNotice } from '../../council/recording.ts';
import { AwayError } from '../../domain/failure.ts';
import type { Overview } from '../../domain/overview.ts';
import { isRecorded } from '../../domain/thread-id.ts';
import type { Ingress, Invocation } from '../../platforms/platform.ts';
import { validateChange } from '../../settings/channel-settings.ts';
import type { BotParts } from '../parts.ts';
import { type Channel, type Here, readChannel } from '../places/channels.ts';
import { personalFor } from '../places/personal.ts';
import { readQuestions, recentScope, scoredTurnsIn } from '../places/turns-of-place.ts';
import { storeTrouble } from '../store-trouble-words.ts';
import { changeSettings, fieldsOf, presetsFor } from './change-settings.ts';
import { councilMemoryFor } from './council-memory.ts';
import { customSagesFor } from './custom-sages.ts';
import { exportFor, minutesOf } from './export.ts';
import { offerIds } from './suggestions.ts';
import { turnVerbs } from './turn-verbs.ts';
import { verdictVerbs } from './verdict-verbs.ts';

/** Runs a command. Never throws: the reply says what the person can fix, and the log has what was not expected. */
export async function runCommand(
  invocation: Invocation,
  parts: BotParts,
  bot: Pick<Ingress, 'ask'>,
): Promise<Reply> {
  const { place, command: name } = invocation;
  try {
    const command = parts.commands.find((known) => known.name === name);
    if (!command) {
      const known = parts.commands.map((one) => one.name).join(', ');
      throw new CommandError(`There is no command “${name}”. There are: ${known}.`);
    }
    const { channel } = await readChannel(parts, place.threadId);
    const person = withNamedRights(invocation.person, channel);
    const options = optionsIn(command, invocation.options);
    const { allowed } = command;
    const whom = typeof allowed === 'function' ? allowed(options) : allowed;
    if (whom === 'managers' && !person.isManager) {
      throw new CommandError(`Only those who may manage this channel can use “${name}”.`);
    }
    const here = { place, person, channel };
    const reply = await command.run(contextFor(here, parts, bot, invocation), options);
    return isRecorded(place.threadId) ? marked(reply) : reply;
  } catch (error) {
    if (error instanceof UnknownIdError) return offerIds(error, invocation, parts);
    if (error instanceof CommandError) return refusal(error.message);
    parts.log.error({ error, command: name }, 'command failed');
    const { threadId } = place;
    return refusal(
      error instanceof AwayError
        ? storeTrouble(error, { what: 'The council can’t do that', its: 'memory', threadId })
        : faultWords,
    );
  }
}

/** What is looked at was recorded, and every view of it says so. */
function marked(reply: Reply): Reply {
  return { ...reply, blocks: [{ type: 'text', text: recordedNotice }, ...reply.blocks] };
}

/** A person with the rights that the settings name, beside those that the platform vouches for. */
function withNamedRights(person: Person, channel: Channel): Person {
  const isServerManager = person.isServerManager || isNamed(person, 'server', channel);
  const isManager = person.isManager || isServerManager || isNamed(person, 'channel', channel);
  return { ...person, isManager, isServerManager };
}

function isNamed({ id }: Person, scope: 'channel' | 'server', { layers, known }: Channel): boolean {
  const kept = layers[scope].managers;
  const judged = kept && validateChange('managers', kept.value, known);
  return judged?.status === 'valid' && judged.value !== 'nobody' && judged.value.includes(id);
}

/** @param here - As read for this command. */
function contextFor(
  here: Here,
  parts: BotParts,
  bot: Pick<Ingress, 'ask'>,
  { eventId, takesStreams }: Invocation,
): CommandContext {
  const { place, person, channel } = here;
  const { council, commands, now } = parts;
  const personal = personalFor(here, parts);
  return {
    ...turnVerbs(here, parts, bot, eventId),
    ...verdictVerbs(here, parts, bot),
    ...{ place, person, bench: channel.council.bench, commands, now },
    takesStreams: takesStreams === true,
    export: (reach) => exportFor(here, parts, reach),
    customSages: customSagesFor(here, parts),
    presets: presetsFor(here, parts),
    memory: councilMemoryFor(here, parts),
    scoredTurns: (wanted) => scoredTurnsIn(parts.store.turns, place, wanted),
    minutes: () => minutesOf(here, parts),
    settings: async (scope) => {
      if (scope === 'mine') return personal.fields();
      const { channel: current } = await readChannel(parts, place.threadId);
      return fieldsOf(scope, current, council);
    },
    changeSettings: (scope, changes) =>
      scope === 'mine'
        ? personal.change(changes)
        : changeSettings(scope, changes, { ...here, ...parts }),
  };
}

/**
 * What a person sees of Council without asking, e.g. in Slack's App Home.
 *
 * @param personId - Whose latest questions are shown.
 */
export async function overviewFor(
  workspace: Pick<Place, 'platform' | 'workspace'>,
  personId: string,
  parts: BotParts,
): Promise<Overview> {
  // A channel that does not exist has nothing but the defaults.
  const nowhere = `${workspace.platform}:${workspace.workspace}::`;
  const scope = recentScope(workspace, personId);
  const { channel, beside } = await readChannel(parts, nowhere, [scope]);
  return {
    bench: channel.council.bench,
    defaults: fieldsOf('server', channel, parts.council),
    recent: await readQuestions(beside[0] ?? {}, parts.store.turns),
  };
}
