/** The task `chat`: a conversation in the terminal, or in a pipe. */

import { randomUUID } from 'node:crypto';
import { commands } from '../../../commands/index.ts';
import { createTerminal, terminalPlace } from '../../platforms/terminal/terminal.ts';
import { ConfigError } from '../../settings/config-error.ts';
import { type Role, roleVariable } from '../../settings/environment.ts';
import { openApplication } from '../application.ts';
import { openSpeakers } from '../open-models.ts';
import { mainThread, openLog, personAt, type Surroundings } from '../session.ts';
import { startWithin } from '../starting.ts';
import { chooseStore } from '../store.ts';
import { startLines } from '../who-speaks.ts';

/** @param thread - Absent: `main` for a person, a new one for a pipe. */
export async function chat(around: Surroundings, thread: string | undefined): Promise<void> {
  const { config, input, output } = around;
  if (config.role !== 'all' && thread === undefined) throw nothingToServe(config.role);
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
  const lines = await startLines(config, speakers, around.ending);
  // What a pipe gives is answers and nothing else.
  if (!interactive) for (const line of lines) around.errors.write(`${line}\n`);
  const terminal = createTerminal({
    ...{ input, output, interactive, commands },
    colour: around.colour,
    thread: conversation,
    person: personAt(around),
    welcome: interactive
      ? [...lines, 'Ask the council anything. `/council help` tells more; Ctrl-D leaves.']
      : [],
    sages: config.sages.map(({ name }) => name),
    historyPath: around.historyPath,
    filesFolder: process.cwd(),
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

function nothingToServe(role: Role): ConfigError {
  const text = `a ${role} serves Discord or Slack, and no token is set. Set one, or take COUNCIL_ROLE out`;
  return new ConfigError([{ file: 'environment', setting: roleVariable, text }]);
}
