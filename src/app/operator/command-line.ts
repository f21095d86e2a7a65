/** Reads the command line into a task. */

import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { keysIn, wishedDepths } from '../../domain/asking.ts';
import { isPlainWebAddress } from '../../settings/file-kinds.ts';
import type { StoreAddress } from '../store.ts';
import type { Invocation, Task } from '../tasks/task.ts';
import { keysCommands } from './keys-command.ts';
import { nameForm, recordCommands } from './record-commands.ts';

const queueActions = ['dead', 'retry', 'drop'] as const;

/** The options of the commands, as commander gives them. */
const threadSchema = z.object({ thread: z.string().exactOptional() });
const askedSchema = threadSchema.extend({
  depth: z.enum(wishedDepths).exactOptional(),
  sages: z.array(z.string()).exactOptional(),
  attach: z.array(z.string()).exactOptional(),
  preset: z.string().exactOptional(),
  json: z.boolean().default(false),
});
const queueSchema = z.object({ json: z.boolean().default(false) });
const copySchema = z.object({ from: z.string().exactOptional(), to: z.string().exactOptional() });
const checkSchema = z.object({ store: z.string().exactOptional() });
const webSchema = z.object({ port: z.number().exactOptional() });
const doctorSchema = z.object({ offline: z.boolean().default(false), models: z.boolean() });
const setupSchema = z
  .object({
    provider: z.string().exactOptional(),
    keyEnv: z.string().exactOptional(),
    address: z.string().exactOptional(),
    model: z.string().exactOptional(),
    sageModels: z.array(z.string()).exactOptional(),
    yes: z.boolean().default(false),
  })
  .transform(({ yes, ...options }) => ({ ...options, isYes: yes }));
const tryLiveSchema = z.object({
  discordChannel: z.string().exactOptional(),
  slackChannel: z.string().exactOptional(),
});
const configSchema = z.object({ config: z.string().exactOptional() });

function sageKeys(list: string): readonly string[] {
  const keys = keysIn(list);
  if (keys.length > 0 && keys.every((key) => /^[a-z0-9_]{1,64}$/.test(key))) return keys;
  throw new InvalidArgumentError(
    'Expected keys of sages with commas between them, e.g. marcus_aurelius,nassim_taleb; `council sages` lists them.',
  );
}

function commas(list: string): readonly string[] {
  return list.split(',').flatMap((name) => name.trim() || []);
}

function webAddress(typed: string): string {
  if (isPlainWebAddress(typed)) return typed;
  throw new InvalidArgumentError('Expected an address, e.g. http://127.0.0.1:8000/v1.');
}

function portNumber(typed: string): number {
  const port = Number(typed);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new InvalidArgumentError('Expected a port from 1 to 65535.');
}

function threadName(name: string): string {
  if (nameForm.test(name)) return name;
  throw new InvalidArgumentError('Expected up to 64 letters, digits, dots, dashes or underscores.');
}

function threadOption(): Option {
  return new Option(
    '--thread <name>',
    'conversation to continue; each name is a separate one',
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
    .option('--config <folder>', 'folder with council.yaml and sages/, else COUNCIL_CONFIG')
    .showHelpAfterError('Run with --help to see the commands.')
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
    .addOption(new Option('--depth <depth>', 'how deep the question goes').choices(wishedDepths))
    .option(
      '--sages <keys>',
      'sages to seat, with commas; one alone answers without a verdict',
      sageKeys,
    )
    .option('--attach <files>', 'files to read or to look at, with commas', commas)
    .option('--preset <name>', 'a preset of council.yaml, or a saved one')
    .addOption(threadOption())
    .option('--json', 'print the whole turn as one JSON object')
    .action((words: readonly string[], options: unknown) => {
      const question = words.join(' ').trim();
      if (question === '') root.error('error: the question is empty', { exitCode: 2 });
      choose({ task: 'ask', question, ...askedSchema.parse(options) });
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
    .description('waiting and running turns, and turns that failed for good, with Redis')
    .addArgument(new Argument('[action]', 'without it, all that is open').choices(queueActions))
    .argument('[turn]', 'id of a turn that failed for good, or all')
    .option('--json', 'print JSON')
    .action(
      (
        action: (typeof queueActions)[number] | undefined,
        turn: string | undefined,
        options: unknown,
      ) => {
        const { json: isJson } = queueSchema.parse(options);
        const wrong = (text: string) => root.error(`error: ${text}`, { exitCode: 2 });
        if (action === 'retry' || action === 'drop') {
          if (turn !== undefined) choose({ task: 'queue', action, turn, isJson });
          else wrong(`say which turn: \`queue ${action} ID\`, or \`queue ${action} all\``);
        } else if (turn !== undefined) wrong('`queue dead` lists all; don’t name a turn');
        else choose({ task: 'queue', action: action ?? 'look', isJson });
      },
    );
  root
    .command('web')
    .description('open the page where you ask and watch councils; needs no chat')
    .addOption(new Option('--port <port>', 'to listen on, on this machine').argParser(portNumber))
    .action((options: unknown) => choose({ task: 'web', ...webSchema.parse(options) }));
  root
    .command('mcp')
    .description(
      'offer the council as tools over standard input and output, to be started by a client',
    )
    .action(() => choose({ task: 'mcp' }));
  storeCommands(root, choose);
  keysCommands(root, choose);
  root
    .command('setup')
    .description('choose models, and connect Discord and Slack; without options, it asks you')
    .option('--provider <name>', 'e.g. openai; without it, the first that can be used')
    .option('--key-env <variable>', 'variable of the environment that holds the key')
    .option('--address <url>', 'of a server that speaks the OpenAI API', webAddress)
    .option('--model <name>', "the model's name at the provider")
    .option('--sage-models <models>', 'further provider:model for sages, with commas', commas)
    .option('--yes', 'write it; without it, it is only tried')
    .action((options: unknown) => choose({ task: 'setup', options: setupSchema.parse(options) }));
  root
    .command('doctor')
    .description('check Node, settings, store and every model, and say what to do')
    .option('--no-models', 'leave out the calls to models')
    .option('--offline', 'leave out Discord and Slack too')
    .action((options: unknown) => {
      const { offline, models } = doctorSchema.parse(options);
      choose({ task: 'doctor', reach: offline ? 'here' : models ? 'all' : 'chats' });
    });
  root
    .command('health')
    .description('ask the bot that runs here whether it is alive: 0 if so, else 1')
    .action(() => choose({ task: 'health' }));
  tryLiveCommand(root, choose);
  return root.addHelpText('after', examples);
}

const addressForms =
  'sqlite:FILE, redis://user:password@host:6379/0, redis (the one of REDIS_URL, so that no password is typed) or upstash (the one of its two variables)';

function storeCommands(root: Command, choose: (task: Task) => void): void {
  const store = root.command('store').description('copy a store, or check one');
  // What was typed may hold a password and is not repeated.
  const addressOf = (option: string, typed: string | undefined) =>
    readStoreAddress(typed) ??
    root.error(`error: ${option} must name a store: ${addressForms}`, { exitCode: 2 });
  store
    .command('copy')
    .description('copy everything into an empty store; run it again if it is interrupted')
    .option('--from <store>', 'sqlite:FILE, redis://…, redis (REDIS_URL) or upstash')
    .option('--to <store>', 'likewise')
    .action((options: unknown) => {
      const { from, to } = copySchema.parse(options);
      const source = addressOf('--from', from);
      choose({ task: 'store', action: 'copy', from: source, to: addressOf('--to', to) });
    });
  store
    .command('check')
    .description('read everything, and print the number of records, with a checksum')
    .option('--store <store>', 'as for copy; default: the bot’s store')
    .action((options: unknown) => {
      const { store: named } = checkSchema.parse(options);
      const address = named === undefined ? {} : { store: addressOf('--store', named) };
      choose({ task: 'store', action: 'check', ...address });
    });
}

function tryLiveCommand(root: Command, choose: (task: Task) => void): void {
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

function readStoreAddress(text = ''): StoreAddress | undefined {
  if (text === 'sqlite' || text === 'redis' || text === 'upstash') return { kind: text };
  if (/^rediss?(\+sentinel|\+cluster)?:\/\//.test(text)) return { kind: 'redis', url: text };
  const [, path] = /^sqlite:(.+)$/s.exec(text) ?? [];
  return path === undefined ? undefined : { kind: 'sqlite', path };
}

/**
 * @param argv - What follows the program's own path, e.g. `process.argv.slice(2)`.
 * @param version - Of the program, for `--version`.
 * @returns The task. A mistake is a task, too: to print what is wrong and what was probably meant, and to
 *   exit with 2. Never throws for what was typed.
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
  if (task === undefined) throw new Error('The command line named no task.');
  const { config } = configSchema.parse(root.opts());
  return config === undefined ? task : { ...task, configFolder: config };
}
