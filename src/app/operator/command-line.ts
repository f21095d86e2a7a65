/** Parses the command line into a task. */

import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { type Choice, keysIn, wishedDepths } from '../../domain/asking.ts';
import { isPlainWebAddress } from '../../settings/file-kinds.ts';
import type { Invocation, SetupOptions, Task, TaskOf } from '../tasks/task.ts';
import {
  countTo,
  formOf,
  type JsonFlag,
  keysCommands,
  recordCommands,
  storeCommands,
} from './data-commands.ts';

const queueActions = ['dead', 'retry', 'drop'] as const;

// The options of commands, as commander returns them: it has checked them already.
interface AskFlags extends Choice, JsonFlag, Partial<Pick<TaskOf<'ask'>, 'attach' | 'thread'>> {}
interface SetupFlags extends Omit<SetupOptions, 'isYes'> {
  readonly yes?: boolean;
}
interface TryLiveFlags {
  readonly discordChannel?: string;
  readonly slackChannel?: string;
}

function sageKeys(list: string): readonly string[] {
  const keys = keysIn(list);
  if (keys.length > 0 && keys.every((key) => /^[a-z0-9_]{1,64}$/.test(key))) return keys;
  throw new InvalidArgumentError(
    'Expected keys of sages, separated by commas, e.g. marcus_aurelius,nassim_taleb; `npm run council -- sages` lists them.',
  );
}

function webAddress(typed: string): string {
  if (isPlainWebAddress(typed)) return typed;
  throw new InvalidArgumentError('Expected an address, e.g. http://127.0.0.1:8000/v1.');
}

function threadOption(): Option {
  return new Option('--thread <name>', 'conversation to start or continue').argParser(
    formOf(/^[\p{L}\p{N}._-]{1,64}$/u, 'up to 64 letters, digits, dots, dashes or underscores'),
  );
}

const examples = `
Examples:
  $ npm start                                   talk with the council
  $ echo "What should I read?" | npm start      answer every line, then end
  $ npm run council -- ask "What should I read?" --depth quick
  $ npm run council -- receipt                  how the last verdict came about
`;

/** Declares the command line. `choose` receives the task of the command that was typed. */
function program(version: string, choose: (task: Task) => void): Command {
  const root = new Command('npm run council --')
    .description('A council of AI sages: several honest views, blind review, one verdict.')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'explain a command')
    .option('--config <folder>', 'folder with council.yaml and sages/, else COUNCIL_CONFIG')
    .showHelpAfterError('Run with --help to see the commands.')
    .exitOverride();
  root
    .command('chat')
    .description('talk with the council here, even if a bot is set up')
    .addOption(threadOption())
    .action(({ thread }: Pick<TaskOf<'chat'>, 'thread'>) =>
      choose({ task: 'chat', ...(thread === undefined ? { isHere: true } : { thread }) }),
    );
  root
    .command('ask')
    .description('ask one question and print the answers')
    .argument('<question...>', 'what the council should think about')
    .addOption(new Option('--depth <depth>', 'how deep the question goes').choices(wishedDepths))
    .option(
      '--sages <keys>',
      'names or keys of the sages to seat, separated by commas; one alone answers without a verdict',
      sageKeys,
    )
    .option('--attach <files>', 'files and pictures to read, separated by commas', keysIn)
    .option('--preset <name>', 'a preset of council.yaml, or a saved one')
    .addOption(threadOption())
    .option('--json', 'print the whole turn as one JSON object')
    .action((words: readonly string[], options: AskFlags) => {
      const question = words.join(' ').trim();
      if (question === '') root.error('error: the question is empty', { exitCode: 2 });
      const { attach = [], json = false, thread, ...choice } = options;
      const where = thread === undefined ? {} : { thread };
      choose({ task: 'ask', question, choice, attach, json, ...where });
    });
  root
    .command('sages')
    .description('list the sages of the council')
    .action(() => choose({ task: 'command', command: 'sages', options: {} }));
  root
    .command('recorded')
    .description('watch a recorded council, which needs no model')
    .argument('[number]', 'number of the one to play; without it, a list')
    .action((number: string | undefined) =>
      choose({ task: 'chat', first: ['/recorded', ...(number ? [number] : [])].join(' ') }),
    );
  recordCommands(root, choose);
  root
    .command('queue')
    .description('show waiting, running and failed turns, with Redis')
    .addArgument(new Argument('[action]', 'default: show all open turns').choices(queueActions))
    .argument('[turn]', 'id of a turn that failed for good, or all')
    .option('--json', 'print JSON')
    .action(
      (
        action: (typeof queueActions)[number] | undefined,
        turn: string | undefined,
        { json: isJson = false }: JsonFlag,
      ) => {
        const refuse = (text: string) => root.error(`error: ${text}`, { exitCode: 2 });
        if (action === 'retry' || action === 'drop') {
          if (turn !== undefined) choose({ task: 'queue', action, turn, isJson });
          else refuse(`say which turn: \`queue ${action} ID\`, or \`queue ${action} all\``);
        } else if (turn !== undefined) refuse('`queue dead` lists all; don’t name a turn');
        else choose({ task: 'queue', action: action ?? 'look', isJson });
      },
    );
  root
    .command('web')
    .description('open the page where you ask and watch councils; needs no chat')
    .option('--port <port>', 'to listen on, on this machine', countTo(65_535, 'a port'))
    .action((options: Pick<TaskOf<'web'>, 'port'>) => choose({ task: 'web', ...options }));
  root
    .command('mcp')
    .description(
      'serve the council as MCP tools over standard input and output; a client starts it',
    )
    .action(() => choose({ task: 'mcp' }));
  storeCommands(root, choose);
  keysCommands(root, choose);
  root
    .command('setup')
    .description('choose models, and connect Discord and Slack; without options, it asks you')
    .option('--provider <name>', 'e.g. openai; default: the first usable one')
    .option('--key-env <variable>', 'variable of the environment that holds the key')
    .option('--address <url>', 'of a server that speaks the OpenAI API', webAddress)
    .option('--model <name>', "the model's name at the provider")
    .option('--sage-models <models>', 'more provider:model for sages, separated by commas', keysIn)
    .option('--yes', 'write the settings; without it, the models are only tested')
    .action(({ yes: isYes = false, ...options }: SetupFlags) =>
      choose({ task: 'setup', options: { ...options, isYes } }),
    );
  root
    .command('doctor')
    .description('check Node, settings, store and every model, and say what to do')
    .option('--no-models', 'leave out the calls to models')
    .option('--offline', 'leave out Discord and Slack too')
    .action(({ offline, models }: { readonly offline?: true; readonly models: boolean }) =>
      choose({ task: 'doctor', reach: offline ? 'here' : models ? 'all' : 'chats' }),
    );
  root
    .command('health')
    .description('check whether the bot on this machine is alive: exits with 0 if so, else 1')
    .action(() => choose({ task: 'health' }));
  tryLiveCommand(root, choose);
  return root.addHelpText('after', examples);
}

function tryLiveCommand(root: Command, choose: (task: Task) => void): void {
  root
    .command('try-live')
    .description(
      'post everything the bot can show in a test channel of yours, report what is refused, delete it',
    )
    .addOption(
      new Option('--discord-channel <id>', 'text channel of a server that the bot is in').argParser(
        formOf(/^\d{15,20}$/, 'the id of a channel of Discord, e.g. 1214567890123456789'),
      ),
    )
    .addOption(
      new Option('--slack-channel <id>', 'channel that the bot is in').argParser(
        formOf(/^[CG][A-Z0-9]{2,20}$/, 'the id of a channel of Slack, e.g. C012AB3CD'),
      ),
    )
    .action(({ discordChannel: discord, slackChannel: slack }: TryLiveFlags) => {
      if (discord === undefined && slack === undefined) {
        root.error('error: say where: --discord-channel ID, --slack-channel ID, or both', {
          exitCode: 2,
        });
      }
      const channels = { ...(discord ? { discord } : {}), ...(slack ? { slack } : {}) };
      choose({ task: 'try-live', channels });
    });
}

/**
 * @param argv - The arguments without the program's path, e.g. `process.argv.slice(2)`.
 * @param version - Printed by `--version`.
 * @returns The task. A mistyped command line becomes a task that prints the error with a suggestion and
 *   exits with 2. Never throws for user input.
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
    const [first, named] = operands;
    const isKnown = root.commands.some((one) => one.name() === named);
    // Of a command that does not exist, `help` would print the usage alone.
    const typed = first === 'help' && named && !isKnown ? [named] : argv;
    if (operands.length === 0 && unknown.length === 0) task = { task: 'chat' };
    else root.parse([...typed], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { task: 'print', text: printed, exitCode: error.exitCode === 0 ? 0 : 2 };
  }
  if (task === undefined) throw new Error('The command line named no task.');
  const { config } = root.opts<{ readonly config?: string }>();
  return config === undefined ? task : { ...task, configFolder: config };
}
