/** Posts the messages of one turn in order and once each. */

import { within } from '../../../waiting.ts';
import { untilAnswered } from '../../chat/pacing/back-off.ts';
import { numberedLabel, type Persona, type Personas } from '../../chat/show/personas.ts';
import { DiscordRefusal, isRefusal, onRefusal } from '../discord-error.ts';
import { type MessageFile, postMessage } from '../rest/messages.ts';
import { isWebhookGone, sayAs } from '../rest/webhooks.ts';
import { type Component, plainPieces } from './components.ts';
import type { OpenedTurn } from './open-turn.ts';
import { belowLabel } from './persona.ts';
import { type Posted, type PostedTurn, readPosted } from './turn-history.ts';
import type { AnswerMessage, CouncilMessage } from './turn-messages.ts';

/** How long an answer waits for its sage's picture; if the upload takes longer, the next message shows it. */
const longestFaceWaitMs = 3000;

export class TurnPoster {
  readonly #turn: OpenedTurn;
  #posted: PostedTurn = { marked: new Map(), labelled: new Map(), said: new Map() };
  #whyNoPersonas: string | undefined;

  constructor(turn: OpenedTurn) {
    this.#turn = turn;
  }

  /** Why sages must speak through the bot in a place where personas are possible; `undefined` if they needn't. */
  get whyNoPersonas(): string | undefined {
    return this.#whyNoPersonas;
  }

  get #isWithoutPersonas(): boolean {
    return this.#whyNoPersonas !== undefined || this.#turn.venue.webhookChannelId === undefined;
  }

  /**
   * Finds what has been posted of this turn, by an earlier process or without confirmation.
   *
   * @returns Whether the history could be read.
   */
  async recall(): Promise<boolean> {
    const posted = await readPosted(this.#turn);
    if (posted) this.#posted = posted;
    return posted !== undefined;
  }

  /**
   * Posts a message by the council itself.
   *
   * @returns Its id, even if it was there already; `undefined` if nothing can be posted.
   */
  async post(message: CouncilMessage): Promise<string | undefined> {
    const { turnId } = this.#turn;
    const { mark, components, files = [], pings, fallback = [] } = message;
    const key = `${turnId} ${mark}`;
    const known = this.#posted.marked.get(mark);
    const posted = await this.#turn.posts.unlessLost(async () => {
      try {
        const body = { components, key, pings };
        const id = await this.#postOnce(known, body, files);
        if (id !== undefined) return id;
      } catch (error) {
        if (!(error instanceof DiscordRefusal) || error.closesPlace) throw error;
        const { log } = this.#turn;
        log.warn({ turnId, error }, 'a message was refused; it is sent in a plainer form');
        return this.#postPlainly(components, key);
      }
      const ids: (string | undefined)[] = [];
      for (const one of fallback) ids.push(await this.post(one));
      return ids[0];
    });
    return posted ?? known?.id;
  }

  /** Posts the text of components, in as many messages as it takes. */
  async #postPlainly(components: readonly Component[], key: string): Promise<string | undefined> {
    let first: string | undefined;
    for (const [index, content] of plainPieces(components).entries()) {
      const id = await this.#postAsBot({ content, key: `${key} plain ${index}` });
      first ??= id;
    }
    return first;
  }

  /** Posts an answer's messages, except those posted already. */
  async speak(persona: Persona, messages: readonly AnswerMessage[]): Promise<void> {
    const alreadySaid = this.#saidBy(persona);
    for (const [index, message] of messages.entries()) {
      if (index < alreadySaid) continue;
      const say = () => this.#say(persona, message, index);
      // What Discord refuses of an answer, e.g. by a rule of the server, keeps nothing of the rest back.
      await this.#turn.posts.unlessLost(say).catch((error: unknown) => {
        if (!(error instanceof DiscordRefusal)) throw error;
        this.#turn.posts.miss(error);
      });
    }
  }

  async #say(persona: Persona, message: AnswerMessage, index: number): Promise<void> {
    if (!this.#isWithoutPersonas) {
      try {
        await this.#sayAsPersona(persona, message);
        return;
      } catch (error) {
        const why = whyNoPersonas(error);
        if (why === undefined && !isRefusal(error, 'invalidForm')) throw error;
        this.#whyNoPersonas ??= why;
      }
    }
    await this.#sayAsBot(persona, message, index);
  }

  /** Starts uploading the sages' pictures before they speak. */
  prepareFaces(personas: Personas): void {
    if (this.#isWithoutPersonas) return;
    for (const { avatarUrl, face } of personas.values()) {
      if (!avatarUrl) void this.#turn.faces.of(face);
    }
  }

  /** Public URL of a sage's picture, if it has one. */
  async faceOf(persona: Persona | undefined): Promise<string | undefined> {
    const { faces, signal } = this.#turn;
    if (!persona || persona.avatarUrl) return persona?.avatarUrl;
    return within(faces.of(persona.face), { ms: longestFaceWaitMs, signal });
  }

  /** Webhooks don't support nonces, so an unconfirmed message is looked for before another attempt. */
  async #sayAsPersona(persona: Persona, message: AnswerMessage): Promise<void> {
    const { rest } = this.#turn;
    const before = this.#saidBy(persona);
    const say = () => this.#sayByWebhook(persona, message);
    const look = async () => {
      if (!(await this.recall())) throw unconfirmedError();
      return this.#saidBy(persona) > before || undefined;
    };
    const post = async () => {
      // A webhook that is gone is made anew once.
      await say().catch((error: unknown) => (isWebhookGone(error) ? say() : Promise.reject(error)));
      const said = new Map(this.#posted.said).set(persona.spokenAs, before + 1);
      this.#posted = { ...this.#posted, said };
      return true;
    };
    await untilAnswered(post, rest.retryWaitsMs, { wait: (waitMs) => rest.backOff(waitMs), look });
  }

  #saidBy({ spokenAs }: Persona): number {
    return this.#posted.said.get(spokenAs) ?? 0;
  }

  async #sayByWebhook(persona: Persona, { content, file }: AnswerMessage): Promise<void> {
    const { rest, webhooks, pacer, signal } = this.#turn;
    const avatarUrl = await this.faceOf(persona);
    const message = { name: persona.spokenAs, avatarUrl, content, file };
    const { webhookChannelId = '', channelId } = this.#turn.venue;
    const threadId = channelId === webhookChannelId ? undefined : channelId;
    const webhook = await within(webhooks.of(rest, webhookChannelId), { signal });
    const destination = { ...this.#destination, webhook: webhook.id };
    try {
      await pacer.post(destination, () => sayAs(rest, webhook, threadId, message), signal);
    } catch (error) {
      if (isWebhookGone(error)) await webhooks.forget(webhookChannelId, webhook);
      throw error;
    }
  }

  async #sayAsBot(
    persona: Persona,
    { content, file, fallback = [] }: AnswerMessage,
    index: number,
  ): Promise<void> {
    const heading = numberedLabel(persona, index);
    const message = {
      content: `${heading}\n${belowLabel(content)}`,
      key: `${this.#turn.turnId} ${heading}`,
    };
    const known = this.#posted.labelled.get(heading);
    const files = file ? [file] : [];
    if ((await this.#postOnce(known, message, files)) !== undefined) return;
    for (const [number, piece] of fallback.entries())
      await this.#sayAsBot(persona, { content: piece }, index + number);
  }

  /** @returns The message's id; `undefined` if files are not allowed here, so that the fallback is needed. */
  async #postOnce(
    known: Posted | undefined,
    message: Parameters<typeof postMessage>[2],
    files: readonly MessageFile[],
  ): Promise<string | undefined> {
    if (files.length === 0) return known?.id ?? this.#postAsBot(message);
    if (known) return known.hasFile ? known.id : undefined;
    return this.#postAsBot({ ...message, files }).catch(onRefusal(undefined, 'missingPermissions'));
  }

  #postAsBot(message: Parameters<typeof postMessage>[2]): Promise<string> {
    const { rest, pacer, signal } = this.#turn;
    const send = () => postMessage(rest, this.#turn.venue.channelId, message);
    return pacer.post(this.#destination, send, signal);
  }

  get #destination() {
    const { channelId, webhookChannelId } = this.#turn.venue;
    return { thread: channelId, channel: webhookChannelId ?? channelId };
  }
}

/** For a message that may have arrived and can't be looked for: it is not posted again, to avoid a duplicate. */
export function unconfirmedError(): DiscordRefusal {
  const message =
    'Discord did not confirm a message, and without the permission Read Message History it can’t be looked for';
  return new DiscordRefusal(message, { code: 0, status: 403 });
}

/** Why no webhook can be had here, as a clause; `undefined` if an error says nothing about that. */
function whyNoPersonas(error: unknown): string | undefined {
  if (isRefusal(error, 'missingPermissions', 'missingAccess')) {
    return 'it lacks the permission Manage Webhooks';
  }
  if (isRefusal(error, 'tooManyWebhooks')) return 'the channel has as many webhooks as it can';
  if (isRefusal(error, 'tooManyServerWebhooks')) return 'the server has as many webhooks as it can';
  if (isRefusal(error, 'twoFactorRequired')) {
    return 'its owner lacks the two-factor authentication that this server requires';
  }
  return isWebhookGone(error) ? 'its webhook is deleted again and again' : undefined;
}
