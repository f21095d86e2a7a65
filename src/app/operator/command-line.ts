/** Reads what the program was started with. Does nothing of it. */

import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { type Depth, depths, keysIn } from '../../domain/asking.ts';
import { type ArchiveTask, addArchiveCommands } from './archive-commands.ts';
import { type QueueTask, queueActions, readQueueTask } from './queue-task.ts';
import { readCheckTask, readCopyTask, type StoreTask } from './store-task.ts';

/** What is to be done, and with which settings. */
export type Invocation = Task & {
  /** Folder with `council.yaml` and `sages/`; absent: the project's own. */
  readonly configFolder?: string;
};

export type Task =
  /** A conversation in the terminal, or in a pipe. */
  | { readonly task: 'chat'; readonly thread?: string }
  | {
      readonly task: 'ask';
      readonly question: string;
      readonly depth?: Depth;
      /** Keys of sages, at least one. */
      readonly sages?: readonly string[];
      readonly thread?: string;
      /** Print the whole turn as one JSON object and nothing else. */
      readonly json: boolean;
    }
  /** A command of `/council`, with its options by name. */
  | {
      readonly task: 'command';
      readonly command: 'sages' | 'receipt';
      readonly options: Readonly<Record<string, string>>;
      readonly thread?: string;
    }
  | ArchiveTask
  | QueueTask
  | StoreTask
  /** Check everything that a council needs. */
  | { readonly task: 'doctor'; readonly isOffline: boolean }
  /** Print a text and end: what was asked for (0) on standard output, what was wrong (2) on standard error. */
  | { readonly task: 'print'; readonly text: string; readonly exitCode: 0 | 2 };

type QueueAction = (typeof queueActions)[number];

const askedSchema = z.object({
  depth: z.enum(depths).exactOptional(),
  sages: z.array(z.string()).exactOptional(),
  thread: z.string().exactOptional(),
  json: z.boolean().default(false),
});
const threadSchema = z.object({ thread: z.string().exactOptional() });
const receiptSchema = threadSchema.extend({
  show: z.enum(['summary', 'reasoning']).exactOptional(),
});
const queueSchema = z.object({ json: z.boolean().default(false) });
const copySchema = z.object({ from: z.string().exactOptional(), to: z.string().exactOptional() });
const checkSchema = z.object({
  store: z.string().exactOptional(),
  mend: z.boolean().default(false),
});
const doctorSchema = z.object({ offline: z.boolean().default(false) });
const configSchema = z.object({ config: z.string().exactOptional() });

function sageKeys(list: string): readonly string[] {
  const keys = keysIn(list);
  if (keys.length > 0 && keys.every((key) => /^[a-z0-9_]{1,64}$/.test(key))) return keys;
  throw new InvalidArgumentError(
    'Expected keys of sages with commas between them, e.g. marcus_aurelius,nassim_taleb; `council sages` lists them.',
  );
}

function threadName(name: string): string {
  if (/^[\p{L}\p{N}._-]{1,64}$/u.test(name)) return name;
  throw new InvalidArgumentError('Expected up to 64 letters, digits, dots, dashes or underscores.');
}

function threadOption(): Option {
  return new Option(
    '--thread <name>',
    'conversation to go on with; every name is one of its own',
  ).argParser(threadName);
}

const examples = `
Examples:
  $ npm start                                   talk with the council
  $ echo "What should I read?" | npm start      answer every line, then end
  $ npm run council -- ask "What should I read?" --depth quick
  $ npm run council -- receipt                  how the last verdict came about
`;

/** The command line as commander knows it; `choose` is told what was asked for. */
function program(version: string, choose: (task: Task) => void): Command {
  const root = new Command('council')
    .description('A council of AI sages: several honest views, blind review, one verdict.')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'explain a command')
    .option('--config <folder>', 'folder with council.yaml and sages/')
    .showHelpAfterError('Run with --help to see what there is.')
    .exitOverride();
  root
    .command('chat')
    .description('talk with the council (this is what happens without a command)')
    .addOption(threadOption())
    .action((options: unknown) => choose({ task: 'chat', ...threadSchema.parse(options) }));
  root
    .command('ask')
    .description('ask one question and print the answers')
    .argument('<question...>', 'what the council should think about')
    .addOption(
      new Option(
        '--depth <depth>',
        'quick holds no reviews, standard lets the sages review each other',
      ).choices(depths),
    )
    .option('--sages <keys>', 'who sits, with commas; one alone speaks for itself', sageKeys)
    .addOption(threadOption())
    .option('--json', 'print the whole turn as one JSON object')
    .action((words: readonly string[], options: unknown) => {
      const question = words.join(' ').trim();
      if (question === '') root.error('error: the question is empty', { exitCode: 2 });
      choose({ task: 'ask', question, ...askedSchema.parse(options) });
    });
  root
    .command('sages')
    .description('list who may sit in the council')
    .action(() => choose({ task: 'command', command: 'sages', options: {} }));
  root
    .command('receipt')
    .description('how a verdict came about and what it cost')
    .argument('[turn]', 'id of the turn; without it, the last one that was asked')
    .addOption(
      new Option('--show <part>', 'reasoning: what the models thought before they replied').choices(
        ['summary', 'reasoning'],
      ),
    )
    .addOption(threadOption())
    .action((turn: string | undefined, given: unknown) => {
      const { show, thread } = receiptSchema.parse(given);
      const options = { ...(turn === undefined ? {} : { turn }), ...(show ? { show } : {}) };
      const where = thread === undefined ? {} : { thread };
      choose({ task: 'command', command: 'receipt', options, ...where });
    });
  root
    .command('queue')
    .description('what waits, runs and could not be run, where processes share a Redis server')
    .addArgument(new Argument('[action]', 'without it, all that is open').choices(queueActions))
    .argument('[turn]', 'id of a turn that was put aside, or all')
    .option('--json', 'print JSON')
    .action((action: QueueAction | undefined, turn: string | undefined, options: unknown) => {
      const read = readQueueTask(action, turn, queueSchema.parse(options).json);
      if ('wrong' in read) root.error(`error: ${read.wrong}`, { exitCode: 2 });
      else choose(read);
    });
  storeCommands(root, choose);
  addArchiveCommands(root, choose);
  root
    .command('doctor')
    .description('check Node, settings, store and every model, and say what to do')
    .option('--offline', 'leave out the calls to models')
    .action((options: unknown) =>
      choose({ task: 'doctor', isOffline: doctorSchema.parse(options).offline }),
    );
  return root.addHelpText('after', examples);
}

function storeCommands(root: Command, choose: (task: Task) => void): void {
  const store = root.command('store').description('move what is remembered, and mend it');
  const read = (task: StoreTask | { readonly wrong: string }) => {
    if ('wrong' in task) root.error(`error: ${task.wrong}`, { exitCode: 2 });
    else choose(task);
  };
  store
    .command('copy')
    .description('copy everything into an empty store; what broke off is gone on with')
    .option('--from <store>', 'sqlite:FILE, redis://…, redis (REDIS_URL) or upstash')
    .option('--to <store>', 'likewise')
    .action((options: unknown) => {
      const { from, to } = copySchema.parse(options);
      read(readCopyTask(from, to));
    });
  store
    .command('check')
    .description('find what refers to nothing, or nothing refers to')
    .option('--store <store>', 'as for copy; without it, the one of the bot')
    .option('--mend', 'mend what is found')
    .action((options: unknown) => {
      const { store: named, mend } = checkSchema.parse(options);
      read(readCheckTask(named, mend));
    });
}

/**
 * @param argv - What follows the program's own path, e.g. `process.argv.slice(2)`.
 * @param version - Of the program, for `--version`.
 * @returns What is to be done. What can't be understood is a task, too: to print what was wrong, and
 *   what was probably meant, and to end with exit code 2. Never throws for what was typed.
 */
export function parseArguments(argv: readonly string[], version: string): Invocation {
  let task: Task | undefined;
  let printed = '';
  const print = (text: string) => {
    printed += text;
  };
  const root = program(version, (chosen) => {
    task = chosen;
  });
  for (const command of [root, ...root.commands, ...root.commands.flatMap((one) => one.commands)]) {
    command.configureOutput({ writeOut: print, writeErr: print });
  }
  try {
    const { operands, unknown } = root.parseOptions([...argv]);
    const isBare = operands.length === 0 && unknown.length === 0;
    root.parse(isBare ? ['chat', ...argv] : [...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { task: 'print', text: printed, exitCode: error.exitCode === 0 ? 0 : 2 };
  }
  if (task === undefined) throw new Error('The command line was read and gave nothing to do.');
  const { config } = configSchema.parse(root.opts());
  return config === undefined ? task : { ...task, configFolder: config };
}
