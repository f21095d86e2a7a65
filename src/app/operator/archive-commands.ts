/** The part of the command line that takes conversations along and brings them back. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';

const forms = ['markdown', 'json', 'html'] as const;
const reaches = ['thread', 'channel'] as const;

export type ArchiveTask =
  | {
      readonly task: 'export';
      /** Name of a conversation in the terminal, or `platform:workspace:channel:thread`; absent: the one that was asked in last. */
      readonly thread?: string;
      readonly scope: (typeof reaches)[number];
      readonly format: (typeof forms)[number];
      /** Folder that the file is written to. */
      readonly folder: string;
    }
  | {
      readonly task: 'import';
      readonly files: readonly string[];
      /** Thread that conversations of LLM Council go to, named as above; absent: each to one of its own. */
      readonly into?: string;
    };

const exportSchema = z.object({
  scope: z.enum(reaches),
  format: z.enum(forms),
  out: z.string(),
});
const importSchema = z.object({ into: z.string().exactOptional() });

export function addArchiveCommands(root: Command, choose: (task: ArchiveTask) => void): void {
  root
    .command('export')
    .description('write what was said in a thread or a channel to a file')
    .argument(
      '[thread]',
      'name of a conversation here, or platform:workspace:channel:thread; without it, the one you asked in last',
      threadName,
    )
    .addOption(
      new Option('--format <format>', 'markdown and html to read, json to bring it back')
        .choices(forms)
        .default('markdown'),
    )
    .addOption(
      new Option('--scope <scope>', 'the thread alone, or its whole channel')
        .choices(reaches)
        .default('thread'),
    )
    .option('--out <folder>', 'where the file is written; no file is written over', '.')
    .action((thread: string | undefined, options: unknown) => {
      const { out, ...rest } = exportSchema.parse(options);
      choose({ task: 'export', ...rest, folder: out, ...(thread !== undefined && { thread }) });
    });
  root
    .command('import')
    .description('bring back what was exported as json, and conversation files of LLM Council')
    .argument('<files...>', 'files to read')
    .addOption(
      new Option(
        '--into <thread>',
        'where conversations of LLM Council go; without it, each to one named after its id',
      ).argParser(threadName),
    )
    .action((files: readonly string[], options: unknown) =>
      choose({ task: 'import', files, ...importSchema.parse(options) }),
    );
}

function threadName(name: string): string {
  if (/^[\p{L}\p{N}._-]{1,64}$/u.test(name) || /^[^:\s]+(:[^:\s]+){3}$/.test(name)) return name;
  throw new InvalidArgumentError(
    'Expected the name of a conversation, or platform:workspace:channel:thread, e.g. discord:1:2:3.',
  );
}
