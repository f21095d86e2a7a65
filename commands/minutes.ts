import { z } from 'zod';
import { dayOf } from '../src/domain/words.ts';
import { minutesHtml } from '../src/memory/minutes/minutes-page.ts';
import { minutesJson, minutesMarkdown, postedMinutes } from '../src/memory/minutes/report.ts';
import { type Command, CommandError } from './command.ts';
import type { CommandContext } from './context.ts';

/** `/council minutes`: what this thread came to, as a decision record for everybody in it. */
export const minutes: Command<CommandContext> = {
  name: 'minutes',
  description: 'Turn this thread into a decision record, posted here and as files',
  options: z.object({}),
  allowed: 'everyone',
  async run(context) {
    const written = await context.minutes();
    if (!written) {
      throw new CommandError(
        'Nothing has been answered in this thread yet, so there is nothing to write minutes of.',
      );
    }
    const at = context.now();
    const content = `${minutesMarkdown(written, at)}\n`;
    const name = `minutes-${dayOf(at)}`;
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
          content: minutesHtml(written, at),
          isDrawn: true,
        },
      ],
    };
  },
};
