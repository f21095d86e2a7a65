/** Posts the messages of one turn, one after another, each of them once. */

import { within } from '../../../waiting.ts';
import { numberedLabel, type Persona, type Personas } from '../../chat/show/personas.ts';
import { DiscordRefusal, DiscordUnanswered, isRefusal } from '../discord-error.ts';
import { type MessageFile, postMessage } from '../rest/messages.ts';
import { isWebhookGone, type PersonaMessage, sayAs } from '../rest/webhooks.ts';
import { type Component, plainPieces } from './components.ts';
import type { OpenedTurn, TurnSurroundings } from './open-turn.ts';
import { belowLabel } from './persona.ts';
import { type Posted, TurnHistory } from './turn-history.ts';
import type { AnswerMessage, CouncilMessage } from './turn-messages.ts';

/** An answer waits no longer for its sage's picture to be uploaded; the next one has it. */
const longestFaceWaitMs = 3000;

export class TurnPoster {
  readonly #opened: OpenedTurn;
  readonly #around: TurnSurroundings;
  readonly #history: TurnHistory;
  #isWithoutPersonas: boolean;

  constructor(opened: OpenedTurn, around: TurnSurroundings) {
    this.#opened = opened;
    this.#around = around;
    this.#history = new TurnHistory(opened, around);
    this.#isWithoutPersonas = opened.venue.webhookChannelId === undefined;
  }

  /** Sages have to speak through the bot where they could have names of their own. */
  get lacksPersonas(): boolean {
    return this.#isWithoutPersonas && this.#opened.venue.webhookChannelId !== undefined;
  }

  /**
   * Looks what has been posted of this turn already, by an earlier process or without an answer.
   *
   * @returns Whether it could be seen.
   */
  recall(): Promise<boolean> {
    return this.#history.recall();
  }

  /**
   * Posts a message of the council itself.
   *
   * @returns Its id, also when it was there already; `undefined` when nothing can be posted.
   */
  async post(message: CouncilMessage): Promise<string | undefined> {
    const { turnId } = this.#around;
    const { mark, components, files = [], pings, instead = [] } = message;
    const key = `${turnId} ${mark}`;
    const known = this.#history.marked(mark);
    const posted = await this.#unlessLost(async () => {
      try {
        const body = { components, isOnlyComponents: true, key, ...(pings ? { pings } : {}) };
        const id = await this.#postOnce(known, body, files);
        if (id !== undefined) return id;
      } catch (error) {
        if (!(error instanceof DiscordRefusal) || error.closesPlace) throw error;
        const { log } = this.#around;
        log.warn({ turnId, error }, 'a message was refused; it is sent in a plainer form');
        return this.#postPlainly(components, key);
      }
      const ids: (string | undefined)[] = [];
      for (const one of instead) ids.push(await this.post(one));
      return ids[0];
    });
    return posted ?? known?.id;
  }

  /** Without components, in as many messages as the text takes. */
  async #postPlainly(components: readonly Component[], key: string): Promise<string | undefined> {
    let first: string | undefined;
    for (const [index, content] of plainPieces(components).entries()) {
      const id = await this.#postAsBot({ content, key: `${key} plain ${index}` });
      first ??= id;
    }
    return first;
  }

  /** Says one answer, message by message; those that were said already are left out. */
  async speak(persona: Persona, messages: readonly AnswerMessage[]): Promise<void> {
    const alreadySaid = this.#history.said(persona.name);
    for (const [index, message] of messages.entries()) {
      if (index < alreadySaid) continue;
      await this.#unlessLost(() => this.#say(persona, message, index));
    }
  }

  async #say(persona: Persona, message: AnswerMessage, index: number): Promise<void> {
    if (!this.#isWithoutPersonas) {
      try {
        const { content, file } = message;
        await this.#sayAsPersona(persona, { content, ...(file ? { file } : {}) });
        return;
      } catch (error) {
        if (forbidsPersonas(error)) {
          this.#isWithoutPersonas = true;
          this.#around.onNoPersonas(this.#opened.venue.webhookChannelId ?? '');
        } else if (!isRefusal(error, 'invalidForm')) throw error;
      }
    }
    await this.#sayAsBot(persona, message, index);
  }

  /** Has the sages' pictures there by the time they speak. */
  prepareFaces(personas: Personas): void {
    if (this.#isWithoutPersonas) return;
    for (const { avatarUrl, face } of personas.values()) {
      if (!avatarUrl) void this.#around.faces.of(face);
    }
  }

  /** Public address of a sage's picture, where it has one. */
  async faceOf(persona: Persona | undefined): Promise<string | undefined> {
    const { faces, signal } = this.#around;
    if (!persona || persona.avatarUrl) return persona?.avatarUrl;
    return within(faces.of(persona.face), { ms: longestFaceWaitMs, signal });
  }

  /** A webhook knows no nonce: an answer that got lost is looked for before it is said again. */
  async #sayAsPersona(
    persona: Persona,
    said: Pick<PersonaMessage, 'content' | 'file'>,
  ): Promise<void> {
    const { name, spokenAs } = persona;
    const { rest, webhooks, pacer, signal } = this.#around;
    const picture = await this.faceOf(persona);
    const message = { ...said, name: spokenAs, ...(picture ? { avatarUrl: picture } : {}) };
    const { webhookChannelId = '', channelId } = this.#opened.venue;
    const threadId = channelId === webhookChannelId ? undefined : channelId;
    let isRenewed = false;
    for (let attempt = 0; ; attempt++) {
      const webhook = await within(webhooks.of(webhookChannelId), { signal });
      try {
        const destination = { ...this.#destination, webhook: webhook.id };
        await pacer.post(destination, () => sayAs(rest, webhook, threadId, message), signal);
        break;
      } catch (error) {
        if (isWebhookGone(error) && !isRenewed) {
          isRenewed = true;
          await webhooks.forget(webhookChannelId, webhook);
          continue;
        }
        const waitMs = rest.retryWaitsMs[attempt];
        if (!(error instanceof DiscordUnanswered) || waitMs === undefined) throw error;
        await rest.backOff(waitMs);
        const isThere = await this.#history.hasSaidMore(name);
        if (isThere === undefined) throw unconfirmed();
        if (isThere) break;
      }
    }
    this.#history.noteSaid(name);
  }

  async #sayAsBot(
    persona: Persona,
    { content, file, instead = [] }: AnswerMessage,
    index: number,
  ): Promise<void> {
    const heading = numberedLabel(persona, index);
    const message = {
      content: `${heading}\n${belowLabel(content)}`,
      key: `${this.#around.turnId} ${heading}`,
    };
    const known = this.#history.labelled(heading);
    const files = file ? [file] : [];
    if ((await this.#postOnce(known, message, files)) !== undefined) return;
    for (const [number, piece] of instead.entries())
      await this.#sayAsBot(persona, { content: piece }, index + number);
  }

  /** @returns The message's id; `undefined` when files are not allowed, so that it has to be said without. */
  async #postOnce(
    known: Posted | undefined,
    message: Parameters<typeof postMessage>[2],
    files: readonly MessageFile[],
  ): Promise<string | undefined> {
    if (files.length === 0) return known?.id ?? this.#postAsBot(message);
    if (known) return known.hasFile ? known.id : undefined;
    try {
      return await this.#postAsBot({ ...message, files });
    } catch (error) {
      if (isRefusal(error, 'missingPermissions')) return undefined;
      throw error;
    }
  }

  #postAsBot(message: Parameters<typeof postMessage>[2]): Promise<string> {
    const { rest, pacer, signal } = this.#around;
    const send = () => postMessage(rest, this.#opened.venue.channelId, message);
    return pacer.post(this.#destination, send, signal);
  }

  get #destination() {
    const { channelId, webhookChannelId } = this.#opened.venue;
    return { thread: channelId, channel: webhookChannelId ?? channelId };
  }

  /** A refusal is told in the log and on the card, and does not hold up the rest. */
  async #unlessLost<Result>(post: () => Promise<Result>): Promise<Result | undefined> {
    const { posts } = this.#around;
    try {
      return await posts.unlessLost(post);
    } catch (error) {
      if (!(error instanceof DiscordRefusal)) throw error;
      posts.miss(error);
      return undefined;
    }
  }
}

/** What may have arrived and can't be looked for is not said again, as it would be there twice. */
export function unconfirmed(): DiscordRefusal {
  const message =
    'Discord did not confirm a message, and without the permission Read Message History it can’t be looked for';
  return new DiscordRefusal(message, { code: 0, status: 403 });
}

/** Webhooks are not allowed here, or the channel has as many as it can. */
function forbidsPersonas(error: unknown): boolean {
  return isRefusal(
    error,
    'missingPermissions',
    'missingAccess',
    'tooManyWebhooks',
    'unknownWebhook',
  );
}
