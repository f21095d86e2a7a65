/** The task `chat`: a conversation in the terminal, or in a pipe. */

import { randomUUID } from 'node:crypto';
import { commands } from '../../../commands/index.ts';
import { recordedEvents } from '../../council/recording.ts';
import { noModel } from '../../models/chat-model.ts';
import { createTerminal, terminalPlace } from '../../platforms/terminal/terminal.ts';
import { ConfigError } from '../../settings/config-error.ts';
import { type Role, roleVariable } from '../../settings/environment.ts';
import { openApplication } from '../application.ts';
import { openSpeakers, type Speakers } from '../open-models.ts';
import { keepRecording, readRecording, recordingNames } from '../recordings.ts';
import { mainThread, openLog, personAt, type Surroundings, savedFolder } from '../session.ts';
import { startWithin } from '../starting.ts';
import { chooseStore } from '../store.ts';
import type { Task } from './task.ts';

/**
 * @param asked.thread - Absent: `main` for a person, a new one for a pipe.
 * @param asked.first - A line that is taken as if it were typed first; in a pipe nothing else is.
 */
export async function chat(
  around: Surroundings,
  { thread, first }: Omit<Extract<Task, { task: 'chat' }>, 'task'>,
): Promise<void> {
  const { config, input, output } = around;
  if (config.role !== 'all' && thread === undefined && first === undefined)
    throw nothingToServe(config.role);
  const interactive = input.isTTY === true && output.isTTY === true;
  const conversation = thread ?? (interactive ? mainThread : randomUUID());
  const own = terminalPlace(conversation);
  // A file serves one process, which resumes what an earlier one left; a server may serve others, too.
  const isAlone = chooseStore(config).kind === 'sqlite';
  const takesUp = ({ threadId }: { readonly threadId: string }) =>
    isAlone ? threadId.startsWith(`${own.platform}:`) : threadId === own.threadId;
  const log = openLog(around, interactive || around.errors.isTTY === true);
  const starting = startWithin(around);
  await using speakers = await starting('models', () => openSpeakers(config, around.ending));
  const terminal = createTerminal({
    ...{ input, output, interactive, commands },
    ...{ colour: around.colour, columns: around.columns },
    thread: conversation,
    person: personAt(around),
    welcome: welcomeTo(speakers, interactive),
    sages: config.sages.map(({ name }) => name),
    recordings: {
      titles: recordingNames.map((name) => readRecording(name).title),
      isNumberEnough: isMute(speakers),
      open: async (place) => {
        const turn = readRecording(recordingNames[place] ?? recordingNames[0]);
        await keepRecording(application.store, turn);
        return { ...turn, events: recordedEvents(turn) };
      },
    },
    ...(first === undefined ? {} : { first }),
    historyPath: around.historyPath,
    filesFolder: savedFolder,
  });
  await using application = await openApplication({
    ...{ config, speakers, log, takesUp, starting, ending: around.ending },
    isOneShot: !interactive,
    platforms: async () => [terminal],
  });
  await application.bot.start(starting);
  around.onInterrupt((signal) => {
    if (signal === 'SIGINT') terminal.interrupt();
    // The process was asked to end: running turns get their grace, and resume at the next start.
    else void terminal.stop();
  });
  await terminal.finished;
  if (!interactive && !around.ending.aborted) await application.queue.idle();
}

/** No sage can speak. */
function isMute({ names }: Speakers): boolean {
  return names.moderator === noModel;
}

function welcomeTo(speakers: Speakers, interactive: boolean): readonly string[] {
  const notices = [speakers.notice, speakers.unchecked].filter((line) => line !== undefined);
  if (!interactive) return notices;
  if (!isMute(speakers)) {
    return [...notices, 'Ask the council anything. `/council help` tells more; Ctrl-D leaves.'];
  }
  return [
    '**Council** puts your question to a few AI sages. They answer, review each other blind, and a chair gives one verdict.',
    'No model is set up yet. Four councils are recorded; type a number to watch one:',
  ];
}

function nothingToServe(role: Role): ConfigError {
  const text = `a ${role} serves Discord or Slack, and no token is set. Set one, or take COUNCIL_ROLE out`;
  return new ConfigError([{ file: 'environment', setting: roleVariable, text }]);
}
