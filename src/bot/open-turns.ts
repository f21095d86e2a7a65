/** The turns that this process has taken in and that have not ended: whose they are, and how to stop them. */

/** Work that can be stopped. */
interface Stoppable {
  stop(): void;
}

/** A turn that was asked and has not ended. */
interface OpenTurn {
  /** Until its thread is open, one that nobody else has. */
  readonly threadId: string;
  readonly userId: string;
  /** Gives back what was set aside of the budgets. */
  readonly release: () => void;
  readonly run: Stoppable | undefined;
  /** Asked to stop before it began. */
  readonly isStopped: boolean;
}

export class OpenTurns {
  readonly #open = new Map<string, OpenTurn>();

  /** Of all that are open, whose and where. */
  get all(): readonly Pick<OpenTurn, 'threadId' | 'userId'>[] {
    return [...this.#open.values()];
  }

  /** A question that is being taken in. */
  add(turnId: string, turn: Pick<OpenTurn, 'threadId' | 'userId'>): void {
    const { threadId, userId } = turn;
    this.#open.set(turnId, {
      ...{ threadId, userId, isStopped: false },
      release: () => undefined,
      run: undefined,
    });
  }

  /** @param facts - What is known by now; a turn that is not open stays so. */
  update(turnId: string, facts: Partial<Pick<OpenTurn, 'threadId' | 'userId' | 'release'>>): void {
    const known = this.#open.get(turnId);
    if (known) this.#open.set(turnId, { ...known, ...facts });
  }

  /** A turn begins to run, perhaps one that an earlier process took in. Stops it if somebody has asked for it. */
  begin(turnId: string, threadId: string, run: Stoppable): void {
    if (!this.#open.has(turnId)) this.add(turnId, { threadId, userId: '' });
    const known = this.#open.get(turnId);
    if (known) this.#open.set(turnId, { ...known, run });
    if (known?.isStopped) run.stop();
  }

  close(turnId: string): void {
    this.#open.get(turnId)?.release();
    this.#open.delete(turnId);
  }

  /**
   * @param where - A thread of the channel that the turn must be of; absent: any.
   * @returns Whether there was such a turn.
   */
  stop(turnId: string, where?: string): boolean {
    const open = this.#open.get(turnId);
    if (!open || (where !== undefined && channelOf(open.threadId) !== channelOf(where)))
      return false;
    this.#open.set(turnId, { ...open, isStopped: true });
    open.run?.stop();
    return true;
  }

  /** Stops what the person asked in a thread; managers stop everybody's. Gives how many turns. */
  stopThread(
    threadId: string,
    person: { readonly id: string; readonly isManager: boolean },
  ): number {
    const theirs = [...this.#open].filter(
      ([, open]) => open.threadId === threadId && (person.isManager || open.userId === person.id),
    );
    for (const [turnId] of theirs) this.stop(turnId);
    return theirs.length;
  }
}

/** A thread id without its last part. */
export function channelOf(threadId: string): string {
  return threadId.slice(0, threadId.lastIndexOf(':'));
}
