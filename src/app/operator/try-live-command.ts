/** The command line of `try-live`. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import type { Task } from '../tasks/task.ts';

const tryLiveSchema = z.object({
  discordChannel: z.string().exactOptional(),
  slackChannel: z.string().exactOptional(),
});

/** Adds the command; `choose` is told what was asked for. */
export function tryLiveCommand(root: Command, choose: (task: Task) => void): void {
  root
    .command('try-live')
    .description(
      'post everything the bot can show in a test channel of yours, report what is refused, delete it',
    )
    .addOption(
      new Option('--discord-channel <id>', 'text channel of a server that the bot is in').argParser(
        idOf(/^\d{15,20}$/, 'the id of a channel of Discord, e.g. 1214567890123456789'),
      ),
    )
    .addOption(
      new Option('--slack-channel <id>', 'channel that the bot is in').argParser(
        idOf(/^[CG][A-Z0-9]{2,20}$/, 'the id of a channel of Slack, e.g. C012AB3CD'),
      ),
    )
    .action((options: unknown) => {
      const { discordChannel: discord, slackChannel: slack } = tryLiveSchema.parse(options);
      if (discord === undefined && slack === undefined) {
        root.error('error: say where: --discord-channel ID, --slack-channel ID, or both', {
          exitCode: 2,
        });
      }
      const channels = { ...(discord ? { discord } : {}), ...(slack ? { slack } : {}) };
      choose({ task: 'try-live', channels });
    });
}

function idOf(form: RegExp, what: string): (typed: string) => string {
  return (typed) => {
    if (form.test(typed)) return typed;
    throw new InvalidArgumentError(`Expected ${what}.`);
  };
}
