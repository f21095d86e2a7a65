import { z } from 'zod';
import {
  type ArchiveFile,
  type ArchiveForm,
  archiveFile,
  archiveForms,
  missingFrom,
  textWithin,
} from '../src/memory/export/archive-file.ts';
import { type Command, CommandError, type ReplyBlock } from './command.ts';
import type { CommandContext } from './context.ts';

const options = z.object({
  format: z
    .enum(archiveForms)
    .optional()
    .describe('markdown and html to read, json to bring it back; without it, markdown'),
  scope: z
    .enum(['thread', 'channel'])
    .optional()
    .describe('thread, or channel: all its threads, for those who manage it'),
});

/** The size up to which every platform accepts a file, in bytes. */
const mostBytes = 8_000_000;

/** `/council export`: what was said here, as a file. */
export const exportCommand: Command<CommandContext> = {
  name: 'export',
  description: 'Download what was said in this thread as Markdown, JSON or a web page',
  options,
  allowed: 'everyone',
  async run(context, given) {
    const { format = 'markdown', scope = 'thread' } = options.parse(given);
    const read = await context.archive(scope);
    const missing = missingFrom(read);
    if (read.isEmpty) {
      const nothing = `Nothing has been answered in this ${scope} yet.`;
      throw new CommandError([nothing, ...missing].join(' '));
    }
    const file = archiveFile(read.place, read.threads, format);
    const text = [`Here is what was said in this ${scope}.`, ...missing].join('\n\n');
    return { isPrivate: true, blocks: [{ type: 'text', text }, await blockOf(file)] };

    async function blockOf({ name, mediaType, portions }: ArchiveFile): Promise<ReplyBlock> {
      if (context.takesStreams) return { type: 'stream', name, mediaType, portions };
      const content = await textWithin(portions, mostBytes);
      if (content === undefined) throw new CommandError(tooLong(format, scope));
      return { type: 'file', name, mediaType, content };
    }
  },
};

function tooLong(format: ArchiveForm, scope: string): string {
  return `As ${format} this ${scope} is longer than 8 MB, too long for a file in chat. Ask the operator for \`npm run council -- export\`.`;
}
