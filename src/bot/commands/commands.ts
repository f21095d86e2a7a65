/** Runs commands: finds the command, checks rights and options, and builds its context. Asks, stops and shares turns. */

import { randomUUID } from 'node:crypto';
import {
  CommandError,
  faultWords,
  optionsIn,
  type Place,
  type Reply,
  refusal,
  UnknownIdError,
} from '../../../commands/command.ts';
import { type CommandContext, noSuchTurn } from '../../../commands/context.ts';
import { readPastTurn, type TurnStep } from '../../council/past-turn.ts';
import { recordedNotice } from '../../council/recording.ts';
import { AwayError } from '../../domain/failure.ts';
import type { Overview } from '../../domain/overview.ts';
import { isRecorded } from '../../domain/thread-id.ts';
import { type Ingress, type Invocation, questionIn } from '../../platforms/platform.ts';
import type { BotParts } from '../parts.ts';
import { type Here, readChannel } from '../places/channels.ts';
import { personalSettingsFor } from '../places/personal-settings.ts';
import {
  existingTurn,
  readQuestions,
  recentScope,
  scoredTurnsIn,
  withPast,
} from '../places/turns-of-place.ts';
import { requestStop } from '../running/running.ts';
import { storeTrouble } from '../store-trouble-words.ts';
import { changeSettings, fieldsOf, presetsFor } from './change-settings.ts';
import { councilMemoryFor } from './council-memory.ts';
import { customSagesFor } from './custom-sages.ts';
import { exportFor, minutesOf } from './export.ts';
import { assertManager, assertMayManageTurn, mayManageTurn, withGrantedRights } from './rights.ts';
import { offerIds } from './suggestions.ts';
import { verdictVerbs } from './verdict-verbs.ts';

/** Runs a command. Never throws: the reply says what the person can fix, and unexpected errors are logged. */
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
    const person = withGrantedRights(invocation.person, channel);
    const options = optionsIn(command, invocation.options);
    const here = { place, person, channel };
    const reply = await command.run(contextFor(here, parts, bot, invocation), options);
    if (!command.showsTurns || !isRecorded(place.threadId)) return reply;
    return { ...reply, blocks: [{ type: 'text', text: recordedNotice }, ...reply.blocks] };
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

/** @param here - As just read. */
function contextFor(
  here: Here,
  parts: BotParts,
  bot: Pick<Ingress, 'ask'>,
  invocation: Invocation,
): CommandContext {
  const { place, person, channel } = here;
  const { council, commands, now } = parts;
  const personal = personalSettingsFor(here, parts);
  return {
    ...turnVerbs(here, parts, bot, invocation),
    ...verdictVerbs(here, parts, bot),
    place,
    isOutsider: person.isOutsider === true,
    bench: channel.council.bench,
    commands,
    now,
    takesStreams: invocation.takesStreams === true,
    export: (reach) => exportFor(here, parts, reach),
    customSages: customSagesFor(here, parts),
    presets: presetsFor(here, parts),
    memory: councilMemoryFor(here, parts),
    scoredTurns: (wanted) => scoredTurnsIn(parts.store.turns, place, wanted),
    minutes: () => minutesOf(here, parts),
    settings: async (scope) => {
      if (scope === 'mine') return personal.fields();
      assertManager(person, 'see and change its settings');
      const { channel: current } = await readChannel(parts, place.threadId);
      return fieldsOf(scope, current, council);
    },
    changeSettings: (scope, changes) =>
      scope === 'mine' ? personal.change(changes) : changeSettings(scope, changes, here, parts),
  };
}

/**
 * What a person sees of Council before asking, e.g. in Slack's App Home.
 *
 * @param personId - The person whose latest questions are shown.
 */
export async function overviewFor(
  workspace: Pick<Place, 'platform' | 'workspace'>,
  personId: string,
  parts: BotParts,
): Promise<Overview> {
  // A channel that does not exist has the defaults.
  const nowhere = `${workspace.platform}:${workspace.workspace}::`;
  const scope = recentScope(workspace, personId);
  const { channel, extra } = await readChannel(parts, nowhere, [scope]);
  return {
    bench: channel.council.bench,
    defaults: fieldsOf('server', channel, parts.council).filter(({ name }) => name !== 'muted'),
    recent: await readQuestions(extra[0] ?? {}, parts.store.turns),
  };
}

/** How many of a thread's newest turns are searched for unfinished ones. */
const maxSearched = 50;
/** By how much the clocks of a platform and of this process may differ, in milliseconds. */
const clocksDifferByMs = 60_000;

function turnVerbs(
  { place, person }: Here,
  parts: Pick<BotParts, 'store' | 'stops' | 'links' | 'now'>,
  bot: Pick<Ingress, 'ask'>,
  { eventId, saidAt = Number.POSITIVE_INFINITY }: Pick<Invocation, 'eventId' | 'saidAt'>,
): Pick<CommandContext, 'ask' | 'turn' | 'stop' | 'rate' | 'share' | 'unshare'> {
  const { links, now } = parts;
  const { turns } = parts.store;

  async function stopTurn(turnId: string): Promise<number> {
    const record = await existingTurn(turns, place, turnId);
    if (record.status === 'ended') return 0;
    assertMayManageTurn(person, readPastTurn(record).request, 'stop it');
    await requestStop(record, parts);
    return 1;
  }

  /** Stops the person's turns in the thread, or all of them for managers. */
  async function stopThread(): Promise<number> {
    const headers = await turns.list(place.threadId, { limit: maxSearched });
    const unfinished = headers.filter(({ status }) => status !== 'ended');
    const records = await Promise.all(unfinished.map((header) => turns.read(header)));
    const theirs = records.flatMap((record) => {
      const request = record && readPastTurn(record).request;
      const isMeant = request && request.askedAt <= saidAt + clocksDifferByMs;
      return isMeant && mayManageTurn(person, request) ? record : [];
    });
    await Promise.all(theirs.map((record) => requestStop(record, parts)));
    return theirs.length;
  }

  const asked = { eventId: eventId ?? `command:${randomUUID()}`, person, askedAt: now() };

  /** Finds a turn that this person may share. */
  async function findShareable(turnId: string | undefined) {
    const record = await existingTurn(turns, place, turnId);
    if (!links) {
      throw new CommandError(
        'There are no links here, because this council is not on the web. Its operator sets `web.port` and `web.publicUrl`.',
      );
    }
    assertMayManageTurn(person, readPastTurn(record).request, 'share it');
    return { links, record };
  }

  return {
    share: async (turnId) => {
      const found = await findShareable(turnId);
      if (found.record.status !== 'ended') {
        throw new CommandError('That question has no verdict yet. Share it when it has.');
      }
      return found.links.make(found.record);
    },
    unshare: async (turnId) => {
      const found = await findShareable(turnId);
      await found.links.withdraw(found.record);
    },
    ask: (question, choice) => bot.ask(questionIn(place, { ...asked, question, ...choice })),
    turn: async (turnId) => withPast(turns, await existingTurn(turns, place, turnId)),
    stop: (turnId) => (turnId === undefined ? stopThread() : stopTurn(turnId)),
    rate: async (turnId, rating) => {
      const record = await existingTurn(turns, place, turnId);
      const step: TurnStep = { kind: 'feedback', key: person.id, data: { rating } };
      if (!(await turns.remark(record, step))) throw noSuchTurn(turnId);
    },
  };
}
