/** The commands that make files: minutes of a thread, and exports. */

import { z } from 'zod';
import {
  type ExportFile,
  type ExportFormat,
  exportFile,
  exportFormats,
  exportGaps,
  textWithin,
} from '../src/memory/export/export-file.ts';
import {
  minutesHtml,
  minutesJson,
  minutesMarkdown,
  postedMinutes,
} from '../src/memory/minutes/report.ts';
import { dateIn } from '../src/memory/recall/situation.ts';
import { CommandError, elsewhere, type ReplyBlock } from './command.ts';
import { councilCommand } from './context.ts';

/** `/council minutes`: posts a decision record of this thread for everybody in it. */
export const minutes = councilCommand({
  name: 'minutes',
  description: 'Turn this thread into a decision record, posted here and as files',
  showsTurns: true,
  async run(context) {
    const written = await context.minutes();
    const at = context.now();
    const content = `${minutesMarkdown(written, at)}\n`;
    const name = `minutes-${dateIn(written.timeZone, at)}`;
    return {
      isPrivate: false,
      blocks: [
        { type: 'text', text: postedMinutes(written, at) },
        { type: 'file', name: `${name}.md`, mediaType: 'text/markdown', content },
        {
          type: 'file',
          name: `${name}.json`,
          mediaType: 'application/json',
          content: minutesJson(written, at),
        },
        {
          type: 'file',
          name: `${name}.html`,
          mediaType: 'text/html',
          isDrawn: true,
          content: minutesHtml(written, at),
        },
      ],
    };
  },
});

/** The largest file that every platform accepts, in bytes. */
const maxFileBytes = 8_000_000;

/** `/council export`: downloads a conversation, or what a person asked, as a file. */
export const exportCommand = councilCommand({
  name: 'export',
  description: 'Download this thread, or all that you have asked, as Markdown, JSON or a web page',
  showsTurns: true,
  options: {
    format: z
      .enum(exportFormats)
      .optional()
      .describe('markdown and html to read, json to import it again; without it, markdown'),
    scope: z
      .enum(['thread', 'mine', 'channel'])
      .optional()
      .describe('thread; mine: all that you have asked; channel: all threads, for its managers'),
  },
  async run(context, { format = 'markdown', scope = 'thread' }) {
    const read = await context.export(scope);
    const isOwn = scope === 'mine';
    const notes = [...exportGaps(read), ...(isOwn ? elsewhere(context.place) : [])];
    if (read.isEmpty) {
      const nothing = isOwn
        ? 'Nothing that you have asked is kept here.'
        : `Nothing has been answered in this ${scope} yet.`;
      throw new CommandError([nothing, ...notes].join(' '));
    }
    const file = exportFile(read.place, read.threads, format);
    const has = isOwn ? 'you have asked, with all answers' : `was said in this ${scope}`;
    const text = [`Here is what ${has}.`, ...notes].join('\n\n');
    return { isPrivate: true, blocks: [{ type: 'text', text }, await blockOf(file)] };

    async function blockOf({ name, mediaType, portions }: ExportFile): Promise<ReplyBlock> {
      if (context.takesStreams) return { type: 'stream', name, mediaType, portions };
      const content = await textWithin(portions, maxFileBytes);
      if (content === undefined) throw new CommandError(tooLong(format, scope, read.place));
      return { type: 'file', name, mediaType, content };
    }
  },
});

function tooLong(format: ExportFormat, scope: 'thread' | 'mine' | 'channel', place: string) {
  const [, , ...id] = place.split(':');
  const task = {
    thread: `export ${place}`,
    mine: `person ${id.join(':')} export`,
    channel: `export ${place}:- --scope channel`,
  }[scope];
  return `As ${format} this is longer than 8 MB, too long for a file in chat. Ask the operator for \`npm run council -- ${task}\`.`;
}
