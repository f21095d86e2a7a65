/** Posts the messages of one turn, one after another, each of them once. */

import { backOff } from '../../pacing/back-off.ts';
import type { Pacer } from '../../pacing/pacer.ts';
import { DiscordRefusal, DiscordUnanswered, isRefusal } from '../discord-error.ts';
import type { DiscordLog } from '../discord-log.ts';
import type { DiscordRest } from '../rest/discord-rest.ts';
import type { Identity } from '../rest/identity.ts';
import { postMessage, readAfter, type SeenMessage } from '../rest/messages.ts';
import {
  type ChannelWebhooks,
  isWebhookGone,
  type PersonaMessage,
  sayAs,
} from '../rest/webhooks.ts';
import type { Component } from './components.ts';
import { belowLabel, type Persona } from './persona.ts';

/** Where a turn is shown. */
export interface Venue {
  /** Where the messages go: the thread, or the channel where there is none. */
  readonly channelId: string;
  /** The channel that has the webhook; absent in direct messages. */
  readonly webhookChannelId: string | undefined;
}

export interface TurnPosterOptions {
  readonly rest: DiscordRest;
  readonly webhooks: ChannelWebhooks;
  readonly identity: Identity;
  readonly log: DiscordLog;
  readonly pacer: Pacer;
  readonly venue: Venue;
  readonly turnId: string;
  /** Id of a message after which all in the venue is this turn's: earlier turns have ended by then. */
  readonly after: string;
  /** Sages have to speak through the bot; called once. */
  readonly onNoPersonas: () => void;
}

export class TurnPoster {
  readonly #options: TurnPosterOptions;
  /** How many pieces each persona has said in this turn. */
  readonly #said = new Map<string, number>();
  #marks: ReadonlyMap<number, string> = new Map();
  #labels: ReadonlySet<string> = new Set();
  #isWithoutPersonas: boolean;
  #missed: DiscordRefusal | undefined;
  /** The thread is gone or locked: nothing more can be posted. */
  #isLost = false;

  constructor(options: TurnPosterOptions) {
    this.#options = options;
    this.#isWithoutPersonas = options.venue.webhookChannelId === undefined;
  }

  /** The first refusal to take a message of the turn; absent: there was none. */
  get missed(): DiscordRefusal | undefined {
    return this.#missed;
  }

  /** Looks what an earlier process has posted of this turn already. */
  async recall(): Promise<void> {
    const seen = await this.#readTurn();
    this.#marks = new Map(
      seen
        .filter(({ author }) => author.id === this.#options.identity.userId)
        .flatMap(({ id, marks }) => marks.map((mark) => [mark, id] as const)),
    );
    this.#labels = new Set(
      seen
        .filter(({ author }) => author.id === this.#options.identity.userId)
        .map(({ content }) => content.split('\n', 1)[0] ?? ''),
    );
    for (const message of seen.filter((one) => this.#isPersona(one))) {
      const { username } = message.author;
      this.#said.set(username, (this.#said.get(username) ?? 0) + 1);
    }
  }

  /**
   * Posts a message of the council itself.
   *
   * @param mark - The number that the components carry, see `markOf`.
   * @returns Its id, also when it was there already; `undefined` when nothing can be posted.
   */
  async post(mark: number, components: readonly Component[]): Promise<string | undefined> {
    const known = this.#marks.get(mark);
    if (known !== undefined) return known;
    const { turnId } = this.#options;
    return this.#unlessLost(() =>
      this.#postAsBot({ components, isOnlyComponents: true, key: `${turnId} ${mark}` }),
    );
  }

  /** Says one answer, piece by piece; those that were said already are left out. */
  async speak(persona: Persona, pieces: readonly string[]): Promise<void> {
    const alreadySaid = this.#said.get(persona.name) ?? 0;
    for (const [index, piece] of pieces.entries()) {
      if (index < alreadySaid) continue;
      await this.#unlessLost(() => this.#say(persona, piece, index));
    }
  }

  async #say(persona: Persona, content: string, index: number): Promise<void> {
    if (!this.#isWithoutPersonas) {
      try {
        await this.#sayAsPersona({ ...persona, content });
        return;
      } catch (error) {
        if (forbidsPersonas(error)) {
          this.#isWithoutPersonas = true;
          this.#options.onNoPersonas();
        } else if (!isRefusal(error, 'invalidForm')) throw error;
      }
    }
    await this.#sayAsBot(persona, content, index);
  }

  /** A webhook knows no nonce: an answer that got lost is looked for before it is said again. */
  async #sayAsPersona(message: PersonaMessage): Promise<void> {
    const { rest, webhooks, venue, pacer } = this.#options;
    const { webhookChannelId = '', channelId } = venue;
    const threadId = channelId === webhookChannelId ? undefined : channelId;
    const before = this.#said.get(message.name) ?? 0;
    let isRenewed = false;
    for (let attempt = 0; ; attempt++) {
      const webhook = await webhooks.of(webhookChannelId);
      try {
        const destination = { ...this.#destination, webhook: webhook.id };
        await pacer.post(destination, () => sayAs(rest, webhook, threadId, message));
        break;
      } catch (error) {
        if (isWebhookGone(error) && !isRenewed) {
          isRenewed = true;
          await webhooks.forget(webhookChannelId, webhook);
          continue;
        }
        const waitMs = rest.retryWaitsMs[attempt];
        if (!(error instanceof DiscordUnanswered) || waitMs === undefined) throw error;
        await backOff(waitMs);
        if ((await this.#countSaid(message.name)) > before) break;
      }
    }
    this.#said.set(message.name, before + 1);
  }

  async #sayAsBot({ label }: Persona, content: string, index: number): Promise<void> {
    const heading = index === 0 ? label : `${label} (${index + 1})`;
    if (this.#labels.has(heading)) return;
    const key = `${this.#options.turnId} ${heading}`;
    await this.#postAsBot({ content: `${heading}\n${belowLabel(content)}`, key });
  }

  #postAsBot(message: Parameters<typeof postMessage>[2]): Promise<string> {
    const { rest, venue, pacer } = this.#options;
    return pacer.post(this.#destination, () => postMessage(rest, venue.channelId, message));
  }

  get #destination() {
    const { channelId, webhookChannelId } = this.#options.venue;
    return { thread: channelId, channel: webhookChannelId ?? channelId };
  }

  async #countSaid(name: string): Promise<number> {
    const seen = await this.#readTurn();
    return seen.filter((one) => this.#isPersona(one) && one.author.username === name).length;
  }

  #readTurn(): Promise<readonly SeenMessage[]> {
    const { rest, venue, after } = this.#options;
    return readAfter(rest, venue.channelId, after);
  }

  #isPersona({ webhook_id, application_id }: SeenMessage): boolean {
    const { applicationId } = this.#options.identity;
    return (
      webhook_id !== undefined && webhook_id !== applicationId && application_id === applicationId
    );
  }

  /** Posts to the right thread or not at all: once it is gone or locked, all that follows is left out. */
  async #unlessLost<Result>(post: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#isLost) return undefined;
    try {
      return await post();
    } catch (error) {
      if (!(error instanceof DiscordRefusal)) throw error;
      const { turnId, log } = this.#options;
      log.warn({ turnId, error }, 'a message of the turn could not be posted');
      this.#missed ??= error;
      this.#isLost = isLost(error);
      return undefined;
    }
  }
}

function isLost(error: DiscordRefusal): boolean {
  return isRefusal(
    error,
    'unknownChannel',
    'missingAccess',
    'missingPermissions',
    'archivedThread',
    'lockedThread',
  );
}

/** Webhooks are not permitted here, or the channel has as many as it can. */
function forbidsPersonas(error: unknown): boolean {
  return isRefusal(
    error,
    'missingPermissions',
    'missingAccess',
    'tooManyWebhooks',
    'unknownWebhook',
  );
}
