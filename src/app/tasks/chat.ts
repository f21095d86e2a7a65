/** The task `chat`: a conversation in the terminal, or in a pipe. */

import { randomUUID } from 'node:crypto';
import { commands } from '../../../commands/index.ts';
import { recordedEvents } from '../../council/recording.ts';
import { noModel } from '../../models/chat-model.ts';
import { createTerminal, terminalPlace, type Wish } from '../../platforms/terminal/terminal.ts';
import { openApplication } from '../application.ts';
import type { ChosenModels } from '../open-models.ts';
import { assertServable } from '../platforms.ts';
import { keepRecording, readRecording, recordingNames } from '../recordings.ts';
import { begin, startLines } from '../starting.ts';
import { chooseStore } from '../store.ts';
import { mainThread, personAt, savedFolder, type Task, type TaskContext } from './task.ts';

/**
 * @param asked.thread - Absent: `main` for a person, a new one for a pipe.
 * @param asked.first - A line that is taken as if it were typed first; in a pipe nothing else is.
 * @returns What the person left for.
 */
export async function chat(
  context: TaskContext,
  { thread, first }: Omit<Extract<Task, { task: 'chat' }>, 'task'>,
): Promise<Wish> {
  const { config, input, output } = context;
  if (thread === undefined && first === undefined) assertServable(config);
  const interactive = input.isTTY === true && output.isTTY === true;
  const conversation = thread ?? (interactive ? mainThread : randomUUID());
  const own = terminalPlace(conversation);
  // A file serves one process, which resumes what an earlier one left; a server may serve others, too.
  const isAlone = chooseStore(config).kind === 'sqlite';
  const takesUp = ({ threadId }: { readonly threadId: string }) =>
    isAlone ? threadId.startsWith(`${own.platform}:`) : threadId === own.threadId;
  const begun = await begin(context, interactive || context.errors.isTTY === true);
  const lines = await startLines(begun);
  // What a pipe gives is answers and nothing else.
  if (!interactive) for (const line of lines) context.errors.write(`${line}\n`);
  const terminal = createTerminal({
    ...{ input, output, interactive, commands },
    ...{ colour: context.colour, columns: context.columns },
    thread: conversation,
    person: personAt(context),
    welcome: welcomeTo(lines, isMute(begun.chosenModels), interactive),
    canSetUp: true,
    sages: config.sages.map(({ name }) => name),
    recordings: {
      titles: recordingNames.map((name) => readRecording(name).title),
      isNumberEnough: isMute(begun.chosenModels),
      open: async (place) => {
        const turn = readRecording(recordingNames[place] ?? recordingNames[0]);
        await keepRecording(application.store, turn);
        return { ...turn, events: recordedEvents(turn) };
      },
    },
    ...(first === undefined ? {} : { first }),
    historyPath: context.historyPath,
    filesFolder: savedFolder,
  });
  await using application = await openApplication({
    ...{ ...begun, takesUp, isOneShot: !interactive },
    platforms: async () => [terminal],
  });
  await application.bot.start(begun.starting);
  context.onInterrupt((signal) => {
    if (signal === 'SIGINT') terminal.interrupt();
    // The process was asked to end: running turns get their grace, and resume at the next start.
    else void terminal.stop();
  });
  const wish = await terminal.finished;
  if (!interactive && !context.ending.aborted) await application.queue.idle();
  return wish;
}

/** No sage can speak. */
function isMute({ names }: ChosenModels): boolean {
  return names.moderator === noModel;
}

function welcomeTo(
  lines: readonly string[],
  isMute: boolean,
  interactive: boolean,
): readonly string[] {
  if (!interactive) return [];
  if (!isMute) {
    return [
      ...lines,
      'Ask the council anything. `/council help` lists the commands; Ctrl-D quits.',
    ];
  }
  return [
    '**Council** puts your question to a few AI sages. They answer, review each other blind, and a chair gives one verdict.',
    // The first says that there is no model.
    ...lines.slice(1),
    'No model is set up yet. Four councils are recorded; type a number to watch one:',
  ];
}
