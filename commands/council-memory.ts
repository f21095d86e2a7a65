/** What a command is given of what is remembered: as far as a person may see it where they are. */

/** Some of what was said in a place, by whom and when. */
export interface MemorySource {
  readonly by: readonly string[];
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Its web address, where the platform has one. */
  readonly link?: string;
}

/** A message, or a summary of several. */
export interface MemoryItem {
  /** By which the command takes it. */
  readonly id: string;
  /** Who said it; absent for a summary. */
  readonly by?: string;
  /** Milliseconds since 1970; of a summary, when the last of it was said. */
  readonly at: number;
  /** All of it. */
  readonly text: string;
  /** What is to be known of it, in words: `edited`, `pinned`. */
  readonly marks: readonly string[];
  /** How many messages a summary was made of; of a message 1. */
  readonly sourceCount: number;
  /** These messages, those of one question together, oldest first; a message is its own. */
  readonly sources: readonly MemorySource[];
}

/** What somebody wants forgotten. */
export type ForgetTarget =
  /** A message with all that was asked and answered with it; a summary with what it was made of. */
  | { readonly kind: 'one'; readonly id: string }
  /** All that the person has asked in this workspace. */
  | { readonly kind: 'mine' }
  /** The last part of the id of a thread of this channel; absent: this one. */
  | { readonly kind: 'thread'; readonly thread?: string }
  | { readonly kind: 'channel' };

/** What would go. Nothing has gone yet. */
export interface ToForget {
  readonly questions: number;
  readonly answers: number;
  readonly summaries: number;
  readonly threads: number;
  /** There is more than was counted. */
  readonly isPart: boolean;
  readonly isSummary: boolean;
  /** Of a thread: the last part of its id, and where it is to be seen. */
  readonly thread?: string;
  readonly link?: string;
  /** Does it; when it throws, the rest is done in the background. */
  forget(): Promise<void>;
}

/** Verbs throw `CommandError` for what the person can mend; what they may not see is as if it was not there. */
export interface CouncilMemory {
  /** Whether anything of it goes into prompts here. */
  readonly isOn: boolean;
  /** How far it reaches here. */
  readonly reach: 'thread' | 'channel' | 'workspace';
  /**
   * The newest first.
   *
   * @param options.thread - Where it reaches a thread alone: which one, as an earlier page has told it.
   */
  newest(options: {
    readonly skip: number;
    readonly count: number;
    readonly thread?: string | undefined;
  }): Promise<{
    readonly items: readonly MemoryItem[];
    readonly messages: number;
    readonly summaries: number;
    /** The last part of the id of the thread, where it reaches that alone. */
    readonly thread?: string;
  }>;
  /** What fits a text best, as for a question; nearest first. */
  search(text: string, count: number): Promise<readonly MemoryItem[]>;
  one(id: string): Promise<MemoryItem>;
  /** Puts a text in the place of a summary's. For managers. */
  correct(id: string, text: string): Promise<MemoryItem>;
  /** Puts a memory into every prompt here. For managers. */
  pin(id: string): Promise<MemoryItem>;
  unpin(id: string): Promise<void>;
  /**
   * One's own is for everybody, all else for managers. What takes long to count is counted once in a
   * while for each person.
   *
   * @param isConfirmed - They have seen what would go.
   */
  toForget(target: ForgetTarget, isConfirmed: boolean): Promise<ToForget>;
}
