/** Posts the messages of one turn in order and once each. */

import { within } from '../../../waiting.ts';
import { untilAnswered } from '../../chat/pacing/back-off.ts';
import { numberedLabel, type Persona, type Personas } from '../../chat/show/personas.ts';
import { DiscordRefusal, isRefusal, onRefusal } from '../discord-error.ts';
import { type MessageFile, postMessage } from '../rest/messages.ts';
import { isWebhookGone, sayAs } from '../rest/webhooks.ts';
import { directMessages, readThreadId } from '../thread-id.ts';
import { type Component, plainPieces } from './components.ts';
import type { OpenedTurn } from './open-turn.ts';
import { belowLabel } from './persona.ts';
import { type Posted, type PostedTurn, readPosted } from './turn-history.ts';
import type { AnswerMessage, CouncilMessage } from './turn-messages.ts';

/** How long an answer waits for its sage's picture; if the upload takes longer, the next message shows it. */
const longestFaceWaitMs = 3000;

export type TurnPoster = ReturnType<typeof turnPoster>;

export function turnPoster(turn: OpenedTurn) {
  const { request, rest, webhooks, faces, pacer, posts, log, signal } = turn;
  const { turnId } = request;
  const { guild, channel, thread } = readThreadId(request.threadId);
  const destination = { thread, channel };
  let posted: PostedTurn = { marked: new Map(), labelled: new Map(), said: new Map() };
  let whyNone: string | undefined;
  const isWithoutPersonas = () => whyNone !== undefined || guild === directMessages;

  /**
   * Finds what has been posted of this turn, by an earlier process or without confirmation.
   *
   * @returns Whether the history could be read.
   */
  async function recall(): Promise<boolean> {
    const read = await readPosted(turn);
    posted = read ?? posted;
    return read !== undefined;
  }

  /**
   * Posts a message by the council itself.
   *
   * @returns Its id, even if it was there already; `undefined` if nothing can be posted.
   */
  async function post(message: CouncilMessage): Promise<string | undefined> {
    const { mark, components, files = [], pings, fallback = [] } = message;
    const key = `${turnId} ${mark}`;
    const known = posted.marked.get(mark);
    const id = await posts.unlessLost(async () => {
      try {
        const body = { components, key, pings };
        const made = await postOnce(known, body, files);
        if (made !== undefined) return made;
      } catch (error) {
        if (!(error instanceof DiscordRefusal) || error.closesPlace) throw error;
        log.warn({ turnId, error }, 'a message was refused; it is sent in a plainer form');
        return postPlainly(components, key);
      }
      const ids: (string | undefined)[] = [];
      for (const one of fallback) ids.push(await post(one));
      return ids[0];
    });
    return id ?? known?.id;
  }

  /** Posts the text of components, in as many messages as it takes. */
  async function postPlainly(
    components: readonly Component[],
    key: string,
  ): Promise<string | undefined> {
    let first: string | undefined;
    for (const [index, content] of plainPieces(components).entries()) {
      const id = await postAsBot({ content, key: `${key} plain ${index}` });
      first ??= id;
    }
    return first;
  }

  /** Posts an answer's messages, except those posted already. */
  async function speak(persona: Persona, messages: readonly AnswerMessage[]): Promise<void> {
    const alreadySaid = saidBy(persona);
    for (const [index, message] of messages.entries()) {
      if (index < alreadySaid) continue;
      const send = () => say(persona, message, index);
      // What Discord refuses of an answer, e.g. by a rule of the server, keeps nothing of the rest back.
      await posts.unlessLost(send).catch((error: unknown) => {
        if (!(error instanceof DiscordRefusal)) throw error;
        posts.miss(error);
      });
    }
  }

  async function say(persona: Persona, message: AnswerMessage, index: number): Promise<void> {
    if (!isWithoutPersonas()) {
      try {
        await sayAsPersona(persona, message);
        return;
      } catch (error) {
        const why = whyNoPersonas(error);
        if (why === undefined && !isRefusal(error, 'invalidForm')) throw error;
        whyNone ??= why;
      }
    }
    await sayAsBot(persona, message, index);
  }

  /** Starts uploading the sages' pictures before they speak. */
  function prepareFaces(personas: Personas): void {
    if (isWithoutPersonas()) return;
    for (const { avatarUrl, face } of personas.values()) {
      if (!avatarUrl) void faces.of(face);
    }
  }

  /** Public URL of a sage's picture, if it has one. */
  async function faceOf(persona: Persona | undefined): Promise<string | undefined> {
    if (!persona || persona.avatarUrl) return persona?.avatarUrl;
    return within(faces.of(persona.face), { ms: longestFaceWaitMs, signal });
  }

  /** Webhooks don't support nonces, so an unconfirmed message is looked for before another attempt. */
  async function sayAsPersona(persona: Persona, message: AnswerMessage): Promise<void> {
    const before = saidBy(persona);
    const send = () => sayByWebhook(persona, message);
    const look = async () => {
      if (!(await recall())) throw unconfirmedError();
      return saidBy(persona) > before || undefined;
    };
    const sendAnew = async () => {
      // A webhook that is gone is made anew once.
      await send().catch((error: unknown) =>
        isWebhookGone(error) ? send() : Promise.reject(error),
      );
      const said = new Map(posted.said).set(persona.spokenAs, before + 1);
      posted = { ...posted, said };
      return true;
    };
    const wait = (waitMs: number) => rest.backOff(waitMs);
    await untilAnswered(sendAnew, rest.retryWaitsMs, { wait, look });
  }

  function saidBy({ spokenAs }: Persona): number {
    return posted.said.get(spokenAs) ?? 0;
  }

  async function sayByWebhook(persona: Persona, { content, file }: AnswerMessage): Promise<void> {
    const avatarUrl = await faceOf(persona);
    const message = { name: persona.spokenAs, avatarUrl, content, file };
    const threadId = thread === channel ? undefined : thread;
    const webhook = await within(webhooks.of(rest, channel), { signal });
    const byWebhook = { ...destination, webhook: webhook.id };
    try {
      await pacer.post(byWebhook, () => sayAs(rest, webhook, threadId, message), signal);
    } catch (error) {
      if (isWebhookGone(error)) await webhooks.forget(channel, webhook);
      throw error;
    }
  }

  async function sayAsBot(
    persona: Persona,
    { content, file, fallback = [] }: AnswerMessage,
    index: number,
  ): Promise<void> {
    const heading = numberedLabel(persona, index);
    const message = {
      content: `${heading}\n${belowLabel(content)}`,
      key: `${turnId} ${heading}`,
    };
    const known = posted.labelled.get(heading);
    const files = file ? [file] : [];
    if ((await postOnce(known, message, files)) !== undefined) return;
    for (const [number, piece] of fallback.entries())
      await sayAsBot(persona, { content: piece }, index + number);
  }

  /** @returns The message's id; `undefined` if files are not allowed here, so that the fallback is needed. */
  async function postOnce(
    known: Posted | undefined,
    message: Parameters<typeof postMessage>[2],
    files: readonly MessageFile[],
  ): Promise<string | undefined> {
    if (files.length === 0) return known?.id ?? postAsBot(message);
    if (known) return known.hasFile ? known.id : undefined;
    return postAsBot({ ...message, files }).catch(onRefusal(undefined, 'missingPermissions'));
  }

  function postAsBot(message: Parameters<typeof postMessage>[2]): Promise<string> {
    const send = () => postMessage(rest, thread, message);
    return pacer.post(destination, send, signal);
  }

  return {
    recall,
    post,
    speak,
    prepareFaces,
    faceOf,
    /** Why sages must speak through the bot in a place where personas are possible; `undefined` if they needn't. */
    get whyNoPersonas() {
      return whyNone;
    },
  };
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
