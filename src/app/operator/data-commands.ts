/** The command lines for stored data: `receipt`, `leaderboard`, `export`, `person`, `import`, `store` and `keys`. */

import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { defaultDays } from '../../../commands/leaderboard.ts';
import { keysIn } from '../../domain/asking.ts';
import { exportFormats } from '../../memory/export/export-file.ts';
import { scopes } from '../../platforms/web/caller.ts';
import type { NewKey } from '../../platforms/web/keys.ts';
import type { StoreAddress } from '../store.ts';
import type { Task, TaskOf } from '../tasks/task.ts';

/** The option `--json`, as commander returns it. */
export interface JsonFlag {
  readonly json?: boolean;
}

/** Returns a parser for arguments of a form. @param form - Must match the whole argument. */
export function formOf(form: RegExp, expected: string): (typed: string) => string {
  return (typed) => {
    if (form.test(typed)) return typed;
    throw new InvalidArgumentError(`Expected ${expected}.`);
  };
}

/** Returns a parser for whole numbers from 1. */
export function countTo(most: number, expected = 'a whole number'): (typed: string) => number {
  return (typed) => {
    const count = Number(typed);
    if (Number.isInteger(count) && count >= 1 && count <= most) return count;
    throw new InvalidArgumentError(`Expected ${expected} from 1 to ${most}.`);
  };
}

interface ReceiptFlags extends Pick<TaskOf<'command'>, 'thread'> {
  readonly show?: string;
}
interface LeaderboardFlags extends Omit<TaskOf<'leaderboard'>, 'task'>, JsonFlag {}
interface ExportFlags extends Pick<TaskOf<'export'>, 'scope' | 'format'> {
  readonly out: string;
  readonly confirm?: true;
}

const formatOption = new Option(
  '--format <format>',
  'markdown and html to read, json to import it again',
)
  .choices(exportFormats)
  .default('markdown');

const threadOfAnyPlatform = formOf(
  /^(?:[\p{L}\p{N}._-]{1,64}|[^:\s]+(?::[^:\s]+){3})$/u,
  'the name of a conversation, or platform:workspace:channel:thread, e.g. discord:1:2:3',
);

/** Adds the commands for turns. `choose` receives the task of the one that was typed. */
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
    .action((turn: string | undefined, { show, ...where }: ReceiptFlags) => {
      const options = { ...(turn === undefined ? {} : { turn }), ...(show ? { show } : {}) };
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
        'the channel of the thread, or everything in its workspace that all may read',
      )
        .choices(['channel', 'workspace'])
        .default('channel'),
    )
    .option('--days <count>', 'how far back', countTo(3650, 'a whole number of days'), defaultDays)
    .addOption(threadOption)
    .option('--json', 'print JSON')
    .action(({ json, by, scope, days, ...where }: LeaderboardFlags) => {
      const options = { by, scope, days };
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
    .addOption(formatOption)
    .addOption(
      new Option('--scope <scope>', 'the thread alone, or its whole channel')
        .choices(['thread', 'channel'])
        .default('thread'),
    )
    .option('--out <folder>', 'where to write the file; existing files are not overwritten', '.')
    .action((thread: string | undefined, { out: folder, ...rest }: ExportFlags) =>
      choose({ task: 'export', ...rest, folder, ...(thread !== undefined && { thread }) }),
    );
  root
    .command('person')
    .description('find a person; export what they have asked, or have it forgotten')
    .argument('<who>', 'their id; or a name, to find the id')
    .addArgument(new Argument('[action]', 'default: find').choices(['export', 'forget']))
    .addOption(formatOption)
    .option('--out <folder>', 'where to write the file; existing files are not overwritten', '.')
    .option('--confirm', 'to forget: do it, instead of telling what would go')
    .action((who: string, action: TaskOf<'person'>['action'] = 'find', options: ExportFlags) => {
      const { confirm: isConfirmed = false, format, out: folder } = options;
      choose({ task: 'person', who, action, isConfirmed, format, folder });
    });
  root
    .command('import')
    .description('import JSON exports, and conversation files of LLM Council')
    .argument('<files...>', 'files to read')
    .option(
      '--into <thread>',
      'where conversations of LLM Council go; without it, each to one named after its id',
      threadOfAnyPlatform,
    )
    .action((files: readonly string[], options: Pick<TaskOf<'import'>, 'into'>) =>
      choose({ task: 'import', files, ...options }),
    );
}

const addressForms =
  'sqlite:FILE, redis://user:password@host:6379/0, redis (the one of REDIS_URL, so that no password is typed) or upstash (the one of its two variables)';

/** Adds `store copy` and `store check`. */
export function storeCommands(root: Command, choose: (task: Task) => void): void {
  const store = root.command('store').description('copy a store, or check one');
  // The error does not repeat the argument, which may contain a password.
  const addressOf = (option: string, typed: string | undefined) =>
    readStoreAddress(typed) ??
    root.error(`error: ${option} must name a store: ${addressForms}`, { exitCode: 2 });
  store
    .command('copy')
    .description('copy everything into an empty store; run it again if it is interrupted')
    .option('--from <store>', 'sqlite:FILE, redis://…, redis (REDIS_URL) or upstash')
    .option('--to <store>', 'the same forms')
    .action(({ from, to }: { readonly from?: string; readonly to?: string }) => {
      const source = addressOf('--from', from);
      choose({ task: 'store', action: 'copy', from: source, to: addressOf('--to', to) });
    });
  store
    .command('check')
    .description('read everything, and print the number of records, with a checksum')
    .option('--store <store>', 'as for copy; default: the bot’s store')
    .action(({ store: named }: { readonly store?: string }) => {
      const address = named === undefined ? {} : { store: addressOf('--store', named) };
      choose({ task: 'store', action: 'check', ...address });
    });
}

function readStoreAddress(text = ''): StoreAddress | undefined {
  if (text === 'sqlite' || text === 'redis' || text === 'upstash') return { kind: text };
  if (/^rediss?(\+sentinel|\+cluster)?:\/\//.test(text)) return { kind: 'redis', url: text };
  const [, path] = /^sqlite:(.+)$/s.exec(text) ?? [];
  return path === undefined ? undefined : { kind: 'sqlite', path };
}

interface MakeFlags extends Pick<NewKey, 'workspace' | 'requestsPerMinute'> {
  readonly may: NewKey['scopes'];
  readonly usdPerDay?: number;
  readonly questionsAtOnce?: number;
}

const keyName = formOf(/^[^\p{Cc}]{1,64}$/u, 'a name of up to 64 characters');
const usualRequestsPerMinute = 120;

/** Adds `keys`, `keys make` and `keys withdraw`. */
export function keysCommands(root: Command, choose: (task: Task) => void): void {
  const keys = root
    .command('keys')
    .description('the keys of programs and browsers; without a subcommand, a list')
    .addArgument(new Argument('[action]', 'default: list the keys').choices(['make', 'withdraw']))
    .action(() => choose({ task: 'keys', action: 'list' }));
  keys
    .command('make')
    .description('make a key, and print it once')
    .argument('<name>', 'what uses it, e.g. "Open WebUI"', (typed: string) => keyName(typed.trim()))
    .addOption(
      new Option('--workspace <name>', 'the only one that it can use')
        .argParser(formOf(/^[a-z0-9_-]{1,64}$/, 'up to 64 lower-case letters, digits, - or _'))
        .default('main'),
    )
    .addOption(
      new Option('--may <what>', `any of ${scopes.join(', ')}, separated by commas`)
        .argParser(scopesIn)
        .default(['ask', 'read'], 'ask,read'),
    )
    .option('--usd-per-day <amount>', 'what its questions may cost a day (UTC)', amountOfUsd)
    .option('--questions-at-once <count>', 'questions that may wait or run', countTo(1000))
    .option(
      '--requests-per-minute <count>',
      'requests of any kind',
      countTo(100_000),
      usualRequestsPerMinute,
    )
    .action((name: string, { may, usdPerDay, questionsAtOnce, ...rest }: MakeFlags) => {
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

function scopesIn(typed: string): readonly string[] {
  const parsed = z.array(z.enum(scopes)).min(1).safeParse(keysIn(typed));
  if (parsed.success) return [...new Set(parsed.data)];
  throw new InvalidArgumentError(`Expected ${scopes.join(', ')}, or several, separated by commas.`);
}

function amountOfUsd(typed: string): number {
  const amount = Number(typed);
  if (amount > 0 && amount <= 1_000_000) return amount;
  throw new InvalidArgumentError('Expected US dollars, e.g. 2.50.');
}
