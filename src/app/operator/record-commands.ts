/** The command lines for what is kept of turns: `receipt`, `leaderboard`, `export` and `import`. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { defaultDays, leaderboardOptions } from '../../../commands/leaderboard.ts';
import { exportFormats } from '../../memory/export/export-file.ts';
import type { Task } from '../tasks/task.ts';

const receiptSchema = z.object({
  show: z.enum(['summary', 'reasoning']).exactOptional(),
  thread: z.string().exactOptional(),
});
const leaderboardSchema = z.object({
  by: leaderboardOptions.shape.by.unwrap(),
  scope: leaderboardOptions.shape.scope.unwrap(),
  days: leaderboardOptions.shape.days.unwrap(),
  thread: z.string().exactOptional(),
  json: z.boolean().default(false),
});

const reaches = ['thread', 'channel'] as const;
const exportSchema = z.object({
  scope: z.enum(reaches),
  format: z.enum(exportFormats),
  out: z.string(),
});
const importSchema = z.object({ into: z.string().exactOptional() });

/** The form of a conversation's name in the terminal. */
export const nameForm = /^[\p{L}\p{N}._-]{1,64}$/u;

function threadOfAnyPlatform(name: string): string {
  if (nameForm.test(name) || /^[^:\s]+(:[^:\s]+){3}$/.test(name)) return name;
  throw new InvalidArgumentError(
    'Expected the name of a conversation, or platform:workspace:channel:thread, e.g. discord:1:2:3.',
  );
}

function dayCount(typed: string): number {
  const days = leaderboardSchema.shape.days.safeParse(Number(typed));
  if (days.success) return days.data;
  throw new InvalidArgumentError('Expected a whole number of days from 1 to 3650.');
}

/** Adds the commands; `choose` is told what was asked for. */
export function recordCommands(root: Command, choose: (task: Task) => void): void {
  const threadOption = new Option(
    '--thread <name>',
    'conversation here, or platform:workspace:channel:thread; without it, the one you asked in last',
  ).argParser(threadOfAnyPlatform);
  root
    .command('receipt')
    .description('how a verdict was reached and what it cost')
    .argument('[turn]', 'id of the turn; without it, the last one that was asked')
    .addOption(
      new Option('--show <part>', 'reasoning: what the models thought before they replied').choices(
        ['summary', 'reasoning'],
      ),
    )
    .addOption(threadOption)
    .action((turn: string | undefined, given: unknown) => {
      const { show, thread } = receiptSchema.parse(given);
      const options = { ...(turn === undefined ? {} : { turn }), ...(show ? { show } : {}) };
      const where = thread === undefined ? {} : { thread };
      choose({ task: 'command', command: 'receipt', options, ...where });
    });
  root
    .command('leaderboard')
    .description('how the sages or models did in blind reviews')
    .addOption(
      new Option('--by <what>', 'what is ranked').choices(['sage', 'model']).default('sage'),
    )
    .addOption(
      new Option(
        '--scope <scope>',
        'the channel of the thread, or of its workspace what everybody there may read',
      )
        .choices(['channel', 'workspace'])
        .default('channel'),
    )
    .addOption(
      new Option('--days <count>', 'how far back').argParser(dayCount).default(defaultDays),
    )
    .addOption(threadOption)
    .option('--json', 'print JSON')
    .action((given: unknown) => {
      const { json, thread, ...options } = leaderboardSchema.parse(given);
      const where = thread === undefined ? {} : { thread };
      if (json) choose({ task: 'leaderboard', ...options, ...where });
      else choose({ task: 'command', command: 'leaderboard', options, ...where });
    });
  root
    .command('export')
    .description('write what was said in a thread or a channel to a file')
    .argument(
      '[thread]',
      'name of a conversation here, or platform:workspace:channel:thread; without it, the one you asked in last',
      threadOfAnyPlatform,
    )
    .addOption(
      new Option('--format <format>', 'markdown and html to read, json to import it again')
        .choices(exportFormats)
        .default('markdown'),
    )
    .addOption(
      new Option('--scope <scope>', 'the thread alone, or its whole channel')
        .choices(reaches)
        .default('thread'),
    )
    .option('--out <folder>', 'where to write the file; existing files are not overwritten', '.')
    .action((thread: string | undefined, options: unknown) => {
      const { out, ...rest } = exportSchema.parse(options);
      choose({ task: 'export', ...rest, folder: out, ...(thread !== undefined && { thread }) });
    });
  root
    .command('import')
    .description('import JSON exports, and conversation files of LLM Council')
    .argument('<files...>', 'files to read')
    .addOption(
      new Option(
        '--into <thread>',
        'where conversations of LLM Council go; without it, each to one named after its id',
      ).argParser(threadOfAnyPlatform),
    )
    .action((files: readonly string[], options: unknown) =>
      choose({ task: 'import', files, ...importSchema.parse(options) }),
    );
}
