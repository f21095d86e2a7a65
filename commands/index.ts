/** All commands of `/council`, in the order of the help. To add one, define it and list it here. */

import { z } from 'zod';
import { again, ask, deeper, next, stop } from './ask.ts';
import { type Command, optionsForPeople, textReply } from './command.ts';
import { config, preset } from './config.ts';
import { type CommandContext, councilCommand } from './context.ts';
import { exportCommand, minutes } from './files.ts';
import { leaderboard } from './leaderboard.ts';
import { memory } from './memory.ts';
import { receipt } from './receipt.ts';
import { dismiss, sages, summon } from './sages.ts';
import { feedback, post, reviews, share } from './verdict.ts';

/** `/council help`: lists the commands. */
const help = councilCommand({
  name: 'help',
  description: 'What you can ask of the council',
  async run(context) {
    const fields = context.commands.map((command) => ({
      name: `/council ${[command.name, ...usage(command)].join(' ')}`,
      value: command.description,
    }));
    return textReply(
      'Ask a question: a moderator seats the sages that fit, each answers, they review one another without knowing who wrote what, and a chair gives the verdict.',
      {
        type: 'text',
        text: `Begin a question with a sage’s name to hear it alone, e.g. “${context.bench[0]?.name}, what would you ask first?” Follow-up questions in a thread build on what was said before.`,
      },
      { type: 'fields', fields },
    );
  },
});

/** The options in usage notation, e.g. `<question> [depth] [sages]`. */
function usage(command: Command<CommandContext>): readonly string[] {
  return optionsForPeople(command).map(([name, option]) =>
    z.safeParse(option, undefined).success ? `[${name}]` : `<${name}>`,
  );
}

export const commands = [
  ...[ask, sages, summon, dismiss, preset, config, memory, minutes],
  ...[deeper, again, next, post, share, reviews, receipt, feedback],
  ...[leaderboard, exportCommand, stop, help],
] as const;
