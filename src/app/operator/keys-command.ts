/** The command lines of `keys`: who may call over HTTP. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { keysIn } from '../../domain/asking.ts';
import { scopes } from '../../platforms/web/caller.ts';
import type { Task } from '../tasks/task.ts';

const makeSchema = z.object({
  workspace: z.string(),
  may: z.array(z.enum(scopes)),
  usdPerDay: z.number().exactOptional(),
  questionsAtOnce: z.number().exactOptional(),
  requestsPerMinute: z.number(),
});

const usualRequestsPerMinute = 120;

/** Adds the commands; `choose` is told what was asked for. */
export function keysCommands(root: Command, choose: (task: Task) => void): void {
  const keys = root
    .command('keys')
    .description('the keys of programs and browsers; without a subcommand, a list')
    .action(() => choose({ task: 'keys', action: 'list' }));
  keys
    .command('make')
    .description('make a key, and print it once')
    .argument('<name>', 'what uses it, e.g. "Open WebUI"', keyName)
    .addOption(
      new Option('--workspace <name>', 'all that it can reach: its threads, memory and figures')
        .argParser(workspaceName)
        .default('main'),
    )
    .addOption(
      new Option('--may <what>', `of ${scopes.join(', ')}, with commas`)
        .argParser(scopesIn)
        .default(['ask', 'read'], 'ask,read'),
    )
    .option('--usd-per-day <amount>', 'what its questions may cost a day (UTC)', amountOfUsd)
    .option('--questions-at-once <count>', 'how many may wait or run', countTo(1000))
    .addOption(
      new Option('--requests-per-minute <count>', 'of any kind')
        .argParser(countTo(100_000))
        .default(usualRequestsPerMinute),
    )
    .action((name: string, given: unknown) => {
      const { may, usdPerDay, questionsAtOnce, ...rest } = makeSchema.parse(given);
      const limits = {
        ...(usdPerDay !== undefined && { usdPerDay }),
        ...(questionsAtOnce !== undefined && { openQuestions: questionsAtOnce }),
      };
      choose({ task: 'keys', action: 'make', key: { name, scopes: may, limits, ...rest } });
    });
  keys
    .command('withdraw')
    .description('withdraw a key, and end its sessions')
    .argument('<id>', 'as the list shows it')
    .action((id: string) => choose({ task: 'keys', action: 'withdraw', id }));
}

function keyName(typed: string): string {
  const name = typed.trim();
  if (/^[^\p{Cc}]{1,64}$/u.test(name)) return name;
  throw new InvalidArgumentError('Expected a name of up to 64 characters.');
}

function workspaceName(typed: string): string {
  if (/^[a-z0-9_-]{1,64}$/.test(typed)) return typed;
  throw new InvalidArgumentError('Expected up to 64 lower-case letters, digits, - or _.');
}

function scopesIn(typed: string): readonly string[] {
  const parsed = z.array(z.enum(scopes)).min(1).safeParse(keysIn(typed));
  if (parsed.success) return [...new Set(parsed.data)];
  throw new InvalidArgumentError(`Expected ${scopes.join(', ')}, or several with commas.`);
}

function amountOfUsd(typed: string): number {
  const amount = Number(typed);
  if (amount > 0 && amount <= 1_000_000) return amount;
  throw new InvalidArgumentError('Expected US dollars, e.g. 2.50.');
}

function countTo(most: number): (typed: string) => number {
  return (typed) => {
    const count = Number(typed);
    if (Number.isInteger(count) && count >= 1 && count <= most) return count;
    throw new InvalidArgumentError(`Expected a whole number from 1 to ${most}.`);
  };
}
