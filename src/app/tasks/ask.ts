/** The task `ask`: one question, its answers, and an exit code. */

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readPastTurn } from '../../council/past-turn.ts';
import { receiptOf } from '../../council/receipt.ts';
import { writeJson } from '../../platforms/terminal/plain-text.ts';
import { createOneShot, terminalPlace } from '../../platforms/terminal/terminal.ts';
import type { Store, TurnKey } from '../../store/store.ts';
import { openApplication } from '../application.ts';
import { personAt, type Surroundings, savedFolder } from '../session.ts';
import { startLines } from '../start-lines.ts';
import { begin } from '../starting.ts';
import type { Task } from './task.ts';

/** @returns 0 when the council has answered, 1 when it failed, refused or was stopped. */
export async function ask(
  around: Surroundings,
  asked: Extract<Task, { task: 'ask' }>,
): Promise<number> {
  const { output, errors } = around;
  const missing = (asked.attach ?? []).find((path) => !existsSync(path));
  if (missing !== undefined) {
    errors.write(`There is no file ${missing}.\n`);
    return 1;
  }
  const isLive = output.isTTY === true;
  const shown = asked.json ? 'silent' : isLive ? 'live' : 'plain';
  const thread = asked.thread ?? randomUUID();
  const { threadId } = terminalPlace(thread);
  const begun = await begin(around, errors.isTTY === true);
  const oneShot = createOneShot({
    ...{ output, shown, thread },
    ...{ colour: around.colour, columns: around.columns },
    person: personAt(around),
    question: asked.question,
    attached: asked.attach ?? [],
    choice: {
      ...(asked.depth ? { depth: asked.depth } : {}),
      ...(asked.sages ? { sages: asked.sages } : {}),
      ...(asked.preset === undefined ? {} : { preset: asked.preset }),
    },
    filesFolder: savedFolder,
  });
  // What was left unfinished elsewhere is not this question's business.
  const takesUp = (turn: { readonly threadId: string }) => turn.threadId === threadId;
  await using application = await openApplication({
    ...{ ...begun, takesUp, isOneShot: true },
    platforms: async () => [oneShot],
  });
  for (const line of await startLines(begun)) errors.write(`${line}\n`);
  await application.bot.start(begun.starting);
  around.onInterrupt(() => void oneShot.interrupt());
  const answered = await oneShot.finished;
  if (answered.status === 'refused' && asked.json) errors.write(`${answered.reason}\n`);
  if (answered.status !== 'shown') return 1;
  await application.queue.idle();
  if (asked.json) writeJson(output, await wholeTurn(application.store, { ...answered, threadId }));
  return answered.end?.outcome === 'answered' ? 0 : 1;
}

/** Everything that was kept of a turn, and its receipt. */
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
