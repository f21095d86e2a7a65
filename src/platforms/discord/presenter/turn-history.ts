/** What has been posted of a turn already, as Discord has it. */

import { DiscordRefusal, isRefusal } from '../discord-error.ts';
import type { DiscordRest } from '../rest/discord-rest.ts';
import type { Identity } from '../rest/identity.ts';
import { readAfter, readMessage, type SeenMessage } from '../rest/messages.ts';
import { type CardPlace, isMark, marksOf, type Venue } from './turn-marks.ts';

export interface TurnHistoryOptions {
  readonly rest: DiscordRest;
  readonly identity: Identity;
  readonly venue: Venue;
  readonly turnId: string;
  /** Id of a message after which all in the venue is this turn's, or a later one's: earlier ones have ended by then. */
  readonly after: string;
  /** A message that is there, whether it can be read or not. */
  readonly card: CardPlace;
}

/** A message that is there. */
export type Posted = Pick<SeenMessage, 'id' | 'hasFile'>;

export class TurnHistory {
  readonly #options: TurnHistoryOptions;
  /** How many messages each persona has said, by its name. */
  readonly #said = new Map<string, number>();
  #marks: ReadonlyMap<number, Posted> = new Map();
  #labels: ReadonlyMap<string, Posted> = new Map();

  constructor(options: TurnHistoryOptions) {
    this.#options = options;
  }

  /**
   * Looks what is there. Before, only what this process is sure to have said counts.
   *
   * @returns Whether it could be seen.
   */
  async recall(): Promise<boolean> {
    const { userId } = this.#options.identity;
    const seen = await this.#read();
    if (!seen) return false;
    this.#said.clear();
    const isOwn = ({ author }: SeenMessage) => author.id === userId;
    const marked = seen
      .filter(isOwn)
      .flatMap((one) => one.marks.map((mark) => [mark, one] as const));
    this.#marks = new Map(marked);
    const unmarked = this.#ofTurn(seen);
    this.#labels = new Map(
      unmarked.filter(isOwn).map((one) => [one.content.split('\n', 1)[0] ?? '', one] as const),
    );
    for (const { author } of unmarked.filter((one) => this.#isPersona(one)))
      this.noteSaid(author.username);
    return true;
  }

  /** What carries no mark is of the turn whose mark came last, be it a later turn's that was run before. */
  #ofTurn(seen: readonly SeenMessage[]): readonly SeenMessage[] {
    const { identity, turnId } = this.#options;
    const own = marksOf(turnId);
    let isOwn = true;
    return seen.filter(({ author, marks }) => {
      const marked = author.id === identity.userId ? marks.filter(isMark) : [];
      if (marked.length > 0) isOwn = marked.some((mark) => own.has(mark));
      return isOwn;
    });
  }

  /** The bot's message with a part of this number. */
  marked(mark: number): Posted | undefined {
    return this.#marks.get(mark);
  }

  /** The bot's message with this first line. */
  labelled(label: string): Posted | undefined {
    return this.#labels.get(label);
  }

  /** How many messages a persona has said, as far as this process knows. */
  said(name: string): number {
    return this.#said.get(name) ?? 0;
  }

  noteSaid(name: string): void {
    this.#said.set(name, this.said(name) + 1);
  }

  /** Whether a persona has said more than is known; `undefined` where that can't be seen. */
  async hasSaidMore(name: string): Promise<boolean | undefined> {
    const seen = await this.#read();
    const there =
      seen &&
      this.#ofTurn(seen).filter((one) => this.#isPersona(one) && one.author.username === name);
    return there && there.length > this.said(name);
  }

  /** @returns Nothing where the history may not be read. */
  async #read(): Promise<readonly SeenMessage[] | undefined> {
    const { rest, venue, after } = this.#options;
    const seen = await readAfter(rest, venue.channelId, after);
    return seen.length > 0 || (await this.#mayRead()) ? seen : undefined;
  }

  /** Who may not read a history is shown an empty one, but refused a single message. */
  async #mayRead(): Promise<boolean> {
    const { rest, card } = this.#options;
    try {
      await readMessage(rest, card.channelId, card.messageId);
      return true;
    } catch (error) {
      if (isRefusal(error, 'missingPermissions', 'missingAccess')) return false;
      if (error instanceof DiscordRefusal) return true;
      throw error;
    }
  }

  #isPersona({ webhook_id, application_id }: SeenMessage): boolean {
    const { applicationId } = this.#options.identity;
    return (
      webhook_id !== undefined && webhook_id !== applicationId && application_id === applicationId
    );
  }
}
