/** The tasks that the command line can start, and the context in which they run. */

import { join } from 'node:path';
import type { Person } from '../../../commands/command.ts';
import { readQuestions, recentScope } from '../../bot/places/turns-of-place.ts';
import type { Choice } from '../../domain/asking.ts';
import type { ExportFormat } from '../../memory/export/export-file.ts';
import type { TerminalOutput } from '../../platforms/terminal/live-page.ts';
import { terminalPlace } from '../../platforms/terminal/terminal.ts';
import type { NewKey } from '../../platforms/web/keys.ts';
import type { Config, ConfigPlaces } from '../../settings/load.ts';
import type { Store } from '../../store/store.ts';
import type { StoreAddress } from '../store.ts';

/** A task and the settings it runs with. */
export type Invocation = Task & {
  /** Folder with `council.yaml` and `sages/`, or a YAML file. Default: `COUNCIL_CONFIG`, else `config/` of the project. */
  readonly configFolder?: string;
};

export type Task =
  /** Serves the platforms that are configured. Without any, or with an option: a conversation in the terminal or a pipe. */
  | {
      readonly task: 'chat';
      readonly isHere?: true;
      readonly thread?: string;
      /** Handled as if it were the first line typed. */
      readonly first?: string;
    }
  | {
      readonly task: 'ask';
      readonly question: string;
      readonly choice: Choice;
      /** Paths of files that the question is about. */
      readonly attach: readonly string[];
      readonly thread?: string;
      /** Print only the whole turn, as one JSON object. */
      readonly json: boolean;
    }
  /** A subcommand of `/council`, with its options by name. */
  | {
      readonly task: 'command';
      readonly command: 'sages' | 'receipt' | 'leaderboard' | 'memory';
      readonly options: Readonly<Record<string, string | number | boolean>>;
      readonly thread?: string;
    }
  /** The leaderboard of sages or models, as one JSON object. */
  | {
      readonly task: 'leaderboard';
      /** As for `export`. */
      readonly thread?: string;
      readonly by: 'sage' | 'model';
      readonly scope: 'channel' | 'workspace';
      readonly days: number;
    }
  | {
      readonly task: 'export';
      /** Name of a conversation in the terminal, or `platform:workspace:channel:thread`. Default: the one of the last question. */
      readonly thread?: string;
      readonly scope: 'thread' | 'channel';
      /** What this person asked in a workspace (`platform:workspace`), instead. */
      readonly person?: { readonly workspace: string; readonly personId: string };
      readonly format: ExportFormat;
      /** Folder for the file. */
      readonly folder: string;
    }
  /** Find a person by id or name; export what they asked, one file for each workspace; or have it forgotten. */
  | {
      readonly task: 'person';
      readonly who: string;
      readonly action: 'find' | 'export' | 'forget';
      /** Forget it, instead of telling what would go. */
      readonly isConfirmed: boolean;
      readonly format: ExportFormat;
      readonly folder: string;
    }
  | {
      readonly task: 'import';
      readonly files: readonly string[];
      /** Thread for conversations of LLM Council, named as above. Default: each conversation gets its own. */
      readonly into?: string;
    }
  | QueueTask
  | StoreTask
  | KeysTask
  /** Choose models and connect chats. */
  | { readonly task: 'setup'; readonly options: SetupOptions }
  /** Check the whole installation. */
  | { readonly task: 'doctor'; readonly reach: DoctorReach }
  /** Ask the bot on this machine whether it is alive. */
  | { readonly task: 'health' }
  /** Serve the page and the endpoints for programs, even without a model. Default `port`: `web.port`, else 8010. */
  | { readonly task: 'web'; readonly port?: number }
  /** Offer the council as MCP tools over standard input and output. */
  | { readonly task: 'mcp' }
  /** Post everything the bot can post in test channels, at least one. */
  | { readonly task: 'try-live'; readonly channels: TrialChannels }
  /** Print a text and exit: help (0) to standard output, a usage error (2) to standard error. */
  | { readonly task: 'print'; readonly text: string; readonly exitCode: 0 | 2 };

/** The task of this name. */
export type TaskOf<Name extends Task['task']> = Extract<Task, { task: Name }>;

/** What `doctor` checks: this machine and its store; also Discord and Slack; also every model. */
export type DoctorReach = 'here' | 'chats' | 'all';

/** Ids of the test channels. */
export interface TrialChannels {
  readonly discord?: string;
  readonly slack?: string;
}

/** Options of the unattended set-up. Without any, the set-up asks a person. */
export interface SetupOptions {
  /** e.g. `openai`. Default: the first usable one. */
  readonly provider?: string;
  /** Name of the environment variable with the key. */
  readonly keyEnv?: string;
  /** Base URL of the server. */
  readonly address?: string;
  /** The model's name at the provider. */
  readonly model?: string;
  /** Further models for the sages, each as `provider:model`. */
  readonly sageModels?: readonly string[];
  /** Write the result; otherwise it is only tested. */
  readonly isYes: boolean;
}

/** Show the shared queue, or retry or drop turns that failed for good. */
export type QueueTask = {
  readonly task: 'queue';
  /** Print only JSON. */
  readonly isJson: boolean;
} & (
  | { readonly action: 'look' | 'dead' }
  /** `turn`: the id of a turn that failed for good, or `all`. */
  | { readonly action: 'retry' | 'drop'; readonly turn: string }
);

/** Make, list or withdraw keys for the HTTP endpoints. */
export type KeysTask = { readonly task: 'keys' } & (
  | { readonly action: 'list' }
  | { readonly action: 'make'; readonly key: NewKey }
  | { readonly action: 'withdraw'; readonly id: string }
);

/** Copy a store, or check one. */
export type StoreTask = { readonly task: 'store' } & (
  | { readonly action: 'copy'; readonly from: StoreAddress; readonly to: StoreAddress }
  /** Default `store`: the bot's. */
  | { readonly action: 'check'; readonly store?: StoreAddress }
);

/** The default conversation in the terminal. */
export const mainThread = 'main';

/** The process as tasks see it: its configuration, streams, signals, and the person at the terminal. */
export interface TaskContext {
  readonly config: Config;
  /** Where the configuration was read. */
  readonly places: ConfigPlaces;
  readonly input: NodeJS.ReadStream;
  readonly output: TerminalOutput;
  readonly errors: TerminalOutput;
  /** Whether output is coloured. */
  readonly colour: boolean;
  /** Whether the output is a terminal that can redraw lines. */
  readonly isLive: boolean;
  /** Width for output that a person reads, also through a pipe; `undefined` for any other pipe. */
  readonly columns: number | undefined;
  /** Aborted by the first signal to end; a second signal ends the process immediately. */
  readonly ending: AbortSignal;
  /**
   * Registers a callback for `SIGINT` (Ctrl-C), `SIGTERM` and `SIGHUP`. Without one, a signal ends the task
   * immediately.
   */
  onInterrupt(react: (signal: NodeJS.Signals) => void): void;
  /** Prints the sentence and ends the process immediately with exit code 1. */
  giveUp(sentence: string): void;
  /** Name of the person at the terminal. */
  readonly userName: string;
  /** File for the input history. */
  readonly historyPath: string;
  /** Where the person called the program: the paths that they type are relative to it. */
  readonly folder: string;
}

/** Folder for files that commands return. */
export function savedFolder({ folder }: TaskContext): string {
  return join(folder, 'saved');
}

/** Id of the person at the terminal. */
const localPerson = 'local';

/** The person at the terminal, with all permissions there. */
export function personAt({ userName }: TaskContext): Person {
  return { id: localPerson, name: userName, isManager: true, isServerManager: true };
}

/** @param name - Name of a conversation in the terminal, or a whole `platform:workspace:channel:thread`. */
export function threadNamed(name: string): string {
  return name.includes(':') ? name : terminalPlace(name).threadId;
}

/**
 * The named thread. Without a name, that of the last question in the terminal, or the main conversation if there
 * is none. (Pipes and single questions get unnamed threads.) Throws the store's errors.
 */
export async function threadFor(
  name: string | undefined,
  { settings, turns }: Pick<Store, 'settings' | 'turns'>,
) {
  if (name !== undefined) return threadNamed(name);
  const main = terminalPlace(mainThread);
  const [kept = {}] = await settings.read([recentScope(main, localPerson)]);
  const [last] = await readQuestions(kept, turns);
  return last?.threadId ?? main.threadId;
}
