/** What the shell can start. */

import type { WishedDepth } from '../../domain/asking.ts';
import type { ExportFormat } from '../../memory/export/export-file.ts';
import type { NewKey } from '../../platforms/web/keys.ts';
import type { StoreAddress } from '../store.ts';

/** A task and the settings it runs with. */
export type Invocation = Task & {
  /** Folder with `council.yaml` and `sages/`, or a YAML file beside `sages/`; absent: as `COUNCIL_CONFIG` says, else the project's own. */
  readonly configFolder?: string;
};

export type Task =
  /** A conversation in the terminal, or in a pipe. */
  | {
      readonly task: 'chat';
      readonly thread?: string;
      /** Taken as if it were typed first. */
      readonly first?: string;
    }
  | {
      readonly task: 'ask';
      readonly question: string;
      readonly depth?: WishedDepth;
      /** Keys of sages, at least one. */
      readonly sages?: readonly string[];
      /** Paths of files that the question is about. */
      readonly attach?: readonly string[];
      /** Name of a preset. */
      readonly preset?: string;
      readonly thread?: string;
      /** Print the whole turn as one JSON object and nothing else. */
      readonly json: boolean;
    }
  /** A command of `/council`, with its options by name. */
  | {
      readonly task: 'command';
      readonly command: 'sages' | 'receipt' | 'leaderboard';
      readonly options: Readonly<Record<string, string | number>>;
      readonly thread?: string;
    }
  /** How sages or models have fared, as one JSON object. */
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
      /** Name of a conversation in the terminal, or `platform:workspace:channel:thread`; absent: the one that was asked in last. */
      readonly thread?: string;
      readonly scope: 'thread' | 'channel';
      readonly format: ExportFormat;
      /** Folder that the file is written to. */
      readonly folder: string;
    }
  | {
      readonly task: 'import';
      readonly files: readonly string[];
      /** Thread that conversations of LLM Council go to, named as above; absent: each conversation gets its own. */
      readonly into?: string;
    }
  | QueueTask
  | StoreTask
  | KeysTask
  /** Find out who speaks and where, and write it. */
  | { readonly task: 'setup'; readonly options: SetupOptions }
  /** Check everything that a council needs. */
  | { readonly task: 'doctor'; readonly reach: DoctorReach }
  /** Ask the bot that runs here whether it is alive. */
  | { readonly task: 'health' }
  /** The page and the ways in for programs, whether or not a model speaks. @param port - Absent: as `web.port` says, else 8010. */
  | { readonly task: 'web'; readonly port?: number }
  /** The council as tools of MCP, over standard input and output. */
  | { readonly task: 'mcp' }
  /** Try in test channels what the chats take of the bot; at least one channel is named. */
  | { readonly task: 'try-live'; readonly channels: TrialChannels }
  /** Print a text and exit: help (0) on standard output, a mistake (2) on standard error. */
  | { readonly task: 'print'; readonly text: string; readonly exitCode: 0 | 2 };

/** What `doctor` looks at: this machine and its store; Discord and Slack too; every model as well. */
export type DoctorReach = 'here' | 'chats' | 'all';

/** Ids of the channels that a trial is held in. */
export interface TrialChannels {
  readonly discord?: string;
  readonly slack?: string;
}

/** The set-up without questions; all absent: a person is asked. */
export interface SetupOptions {
  /** e.g. `openai`; absent: the first that can be used. */
  readonly provider?: string;
  /** Variable that holds the key. */
  readonly keyEnv?: string;
  /** Base URL of the server. */
  readonly address?: string;
  /** The model's name at the provider. */
  readonly model?: string;
  /** Further models for the sages, each as `provider:model`. */
  readonly sageModels?: readonly string[];
  /** Write it. */
  readonly isYes: boolean;
}

/** Look into the shared queue, or decide on turns that were put aside. */
export type QueueTask = {
  readonly task: 'queue';
  /** Print JSON and nothing else. */
  readonly isJson: boolean;
} & (
  | { readonly action: 'look' | 'dead' }
  /** `turn`: the id of one that was put aside, or `all`. */
  | { readonly action: 'retry' | 'drop'; readonly turn: string }
);

/** Make, list or withdraw keys of the HTTP endpoints. */
export type KeysTask = { readonly task: 'keys' } & (
  | { readonly action: 'list' }
  | { readonly action: 'make'; readonly key: NewKey }
  | { readonly action: 'withdraw'; readonly id: string }
);

/** Copy a store, or check one. */
export type StoreTask = { readonly task: 'store' } & (
  | { readonly action: 'copy'; readonly from: StoreAddress; readonly to: StoreAddress }
  /** `store`: absent, the one of the bot. */
  | { readonly action: 'check'; readonly store?: StoreAddress }
);
