/** The tasks that send one thing to the council: a question, or a subcommand of `/council`. */

import { randomUUID } from 'node:crypto';
import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { readPastTurn } from '../../council/past-turn.ts';
import { receiptOf } from '../../council/receipt.ts';
import { createPlainPage, paletteFor } from '../../platforms/terminal/page.ts';
import { fileSaver, replyLines } from '../../platforms/terminal/reply-lines.ts';
import { createOneShot, terminalPlace } from '../../platforms/terminal/terminal.ts';
import { writeJson } from '../../platforms/terminal/terminal-text.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import type { Store, TurnKey } from '../../store/store.ts';
import { openApplication } from '../application.ts';
import { startLines, startUp } from '../starting.ts';
import { openStore } from '../store.ts';
import {
  mainThread,
  personAt,
  savedFolder,
  type TaskContext,
  type TaskOf,
  threadFor,
} from './task.ts';

/** @returns 0 if the council answered, 1 if it failed, refused or was stopped. */
export async function ask(context: TaskContext, invocation: TaskOf<'ask'>): Promise<number> {
  const { output, errors } = context;
  const attached = invocation.attach.map((path) => resolve(context.folder, path));
  const unreadable = attached.find((path) => !isReadableFile(path));
  if (unreadable !== undefined) {
    errors.write(`There is no readable file ${unreadable}.\n`);
    return 1;
  }
  const shown = invocation.json ? 'silent' : context.isLive ? 'live' : 'plain';
  const thread = invocation.thread ?? randomUUID();
  const { threadId } = terminalPlace(thread);
  const startup = await startUp(context, errors.isTTY === true);
  const oneShot = createOneShot({
    output,
    shown,
    thread,
    colour: context.colour,
    columns: context.columns,
    person: personAt(context),
    question: invocation.question,
    attached,
    choice: invocation.choice,
    filesFolder: savedFolder(context),
  });
  // Leaves the unfinished turns of other threads alone.
  const mayResume = (turn: { readonly threadId: string }) => turn.threadId === threadId;
  await using application = await openApplication({
    ...startup,
    mayResume,
    isOneShot: true,
    platforms: async () => [oneShot],
  });
  for (const line of await startLines(startup)) errors.write(`${line}\n`);
  await application.bot.start();
  context.onInterrupt(() => void oneShot.interrupt());
  const answered = await oneShot.finished;
  if (answered.status === 'refused' && invocation.json) errors.write(`${answered.reason}\n`);
  if (answered.status !== 'shown') return 1;
  await application.queue.idle();
  if (invocation.json)
    writeJson(output, await wholeTurn(application.store, { ...answered, threadId }));
  return answered.end?.outcome === 'answered' ? 0 : 1;
}

function isReadableFile(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return !statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** A stored turn with its receipt. */
async function wholeTurn(store: Store, turn: TurnKey): Promise<object> {
  const record = await store.turns.read(turn);
  if (!record) throw new Error(`Turn ${turn.turnId} is not in the store any more.`);
  const { request, ended, ...past } = readPastTurn(record);
  const outcome = record.outcome ?? record.status;
  return {
    ...request,
    outcome,
    explanation: ended?.explanation ?? '',
    ...past,
    receipt: receiptOf({ request, ...past, ...(ended ? { ended } : {}) }, outcome, record.usage),
  };
}

/** @returns 0; 1 if the command was refused, e.g. for an unknown turn. */
export async function runCommandTask(
  context: TaskContext,
  task: TaskOf<'command'>,
): Promise<number> {
  const startup = await startUp(context, true);
  // Sages are listed from files. The database is not opened, as a running bot may have locked it.
  const open =
    task.command === 'sages' ? async () => openSqliteStore({ path: ':memory:' }) : openStore;
  await using application = await openApplication({
    ...startup,
    open,
    needsNoModel: true,
    // Others may be running what is forgotten.
    ...(task.command === 'memory' && { role: context.config.role }),
    platforms: async () => [],
  });
  const { thread, command, options } = task;
  const threadId = await threadFor(thread, application.store);
  const place = { ...terminalPlace(mainThread), threadId };
  const person = personAt(context);
  const reply = await application.bot.command({ place, person, command, options });
  const page = createPlainPage(context.output, paletteFor(context.colour), context.columns);
  // The choices here are turns for `receipt`, which takes the id alone in the shell, and a person to forget.
  const where = thread === undefined || command === 'memory' ? '' : ` --thread ${thread}`;
  const typed = (line: string) =>
    `npm run council -- ${line.replace('--turn ', '').replace(/^memory forget (person \S+)/, '$1 forget')}${where}`;
  page.print(await replyLines(reply, page, fileSaver(savedFolder(context)), typed));
  return reply.isRefusal === true ? 1 : 0;
}
