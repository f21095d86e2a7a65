/** The tasks that run one command of `/council` from the shell. */

import { createTerminal, terminalPlace } from '../../platforms/terminal/terminal.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { openApplication } from '../application.ts';
import {
  lastThread,
  mainThread,
  personAt,
  type Surroundings,
  savedFolder,
  threadNamed,
} from '../session.ts';
import { begin } from '../starting.ts';
import { openStore } from '../store.ts';
import type { Task } from './task.ts';

/** Keeps nothing. */
const inMemory = { path: ':memory:' } as const;

/** @returns 0; 1 when the command was refused, e.g. for a turn that is not there. */
export async function runCommandTask(
  around: Surroundings,
  task: Extract<Task, { task: 'command' }>,
): Promise<number> {
  const begun = await begin(around, true);
  // Who may sit is written in files: telling it needs no database, which a running bot would hold.
  const open = task.command === 'sages' ? async () => openSqliteStore(inMemory) : openStore;
  await using application = await openApplication({
    ...{ ...begun, open },
    platforms: async () => [],
    takesUp: () => false,
  });
  const { thread } = task;
  const threadId = thread === undefined ? await lastThread(application.store) : threadNamed(thread);
  const place = { ...terminalPlace(mainThread), threadId };
  const person = personAt(around);
  const { command, options } = task;
  const reply = await application.bot.command({ place, person, command, options });
  const printer = createTerminal({
    ...{ input: around.input, output: around.output, interactive: false, commands: [] },
    ...{ colour: around.colour, columns: around.columns },
    thread: mainThread,
    person,
    welcome: [],
    sages: [],
    filesFolder: savedFolder,
  });
  await printer.reply(place, reply);
  return reply.isRefusal === true ? 1 : 0;
}
