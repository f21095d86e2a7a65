/** The task `chat`: a conversation in the terminal or a pipe. */

import { randomUUID } from 'node:crypto';
import { commands } from '../../../commands/index.ts';
import { recordedEvents } from '../../council/recording.ts';
import { noModel } from '../../models/chat-model.ts';
import type { ExitReason } from '../../platforms/terminal/interactive-session.ts';
import { createTerminal, terminalPlace } from '../../platforms/terminal/terminal.ts';
import { openApplication } from '../application.ts';
import { readRecording, recordingNames, storeRecording } from '../recordings.ts';
import { startLines, startUp } from '../starting.ts';
import { chooseStore } from '../store.ts';
import { mainThread, personAt, savedFolder, type TaskContext, type TaskOf } from './task.ts';

/**
 * @param invocation.thread - Default: `main` for a person, a new thread for a pipe.
 * @param invocation.first - Handled as if it were the first line typed; in a pipe, it is the only line.
 */
export async function chat(
  context: TaskContext,
  { thread, first }: Pick<TaskOf<'chat'>, 'thread' | 'first'>,
): Promise<ExitReason> {
  const { config, input, output } = context;
  const isTyped = input.isTTY === true;
  const interactive = isTyped && context.isLive;
  const conversation = thread ?? (isTyped && output.isTTY ? mainThread : randomUUID());
  const place = terminalPlace(conversation);
  // Only one process can use a file, so it resumes all turns of the terminal. A server may have other
  // processes, which resume their own.
  const isAlone = chooseStore(config).kind === 'sqlite';
  const mayResume = ({ threadId }: { readonly threadId: string }) =>
    isAlone || threadId === place.threadId;
  const startup = await startUp(context, interactive || context.errors.isTTY === true);
  const isWithoutModel = startup.chosenModels.names.moderator === noModel;
  const { notice } = startup.chosenModels;
  // A recorded council needs no model, and the welcome says itself that there is none.
  const isSaid = first !== undefined || (interactive && isWithoutModel);
  const lines = [isSaid ? [] : (notice ?? []), await startLines(startup)].flat();
  // A pipe's standard output gets answers only.
  if (!interactive) for (const line of lines) context.errors.write(`${line}\n`);
  const terminal = createTerminal({
    input,
    output,
    interactive,
    commands,
    colour: context.colour,
    columns: context.columns,
    thread: conversation,
    person: personAt(context),
    welcome: interactive ? welcomeLines(lines, isWithoutModel) : [],
    recordings: {
      titles: recordingNames.map((name) => readRecording(name).title),
      isNumberEnough: isWithoutModel,
      open: async (index) => {
        const turn = readRecording(recordingNames[index] ?? recordingNames[0]);
        await storeRecording(application.store, turn);
        return { ...turn, events: recordedEvents(turn) };
      },
    },
    ...(first === undefined ? {} : { first }),
    historyPath: context.historyPath,
    filesFolder: savedFolder(context),
  });
  await using application = await openApplication({
    ...startup,
    mayResume,
    isOneShot: !interactive,
    // The first line asks for a recorded council.
    needsNoModel: first !== undefined,
    platforms: async () => [terminal],
  });
  await application.bot.start();
  context.onInterrupt((signal) => {
    if (signal === 'SIGINT') terminal.interrupt();
    // The process is ending: running turns get their grace period, and resume at the next start.
    else void terminal.stop();
  });
  const exit = await terminal.finished;
  if (!interactive && !context.ending.aborted) await application.queue.idle();
  return exit;
}

function welcomeLines(lines: readonly string[], isWithoutModel: boolean): readonly string[] {
  if (!isWithoutModel) {
    return [...lines, 'Ask the council anything. `/help` lists the commands; Ctrl-D quits.'];
  }
  return [
    '**Council** puts your question to a few AI sages. They answer, review each other blind, and a chair gives one verdict.',
    ...lines,
    'No model is set up yet. Four councils are recorded; type a number to watch one:',
  ];
}
