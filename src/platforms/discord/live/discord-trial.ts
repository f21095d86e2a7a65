/** Tries on Discord itself what the bot shows there; see `chat/live/trial.ts`. */

import { Routes, SnowflakeUtil } from 'discord.js';
import { z } from 'zod';
import type { Log } from '../../../domain/log.ts';
import type { OpenedFile } from '../../../domain/source.ts';
import { momentMark } from '../../../domain/words.ts';
import { Cleanup } from '../../chat/live/cleanup.ts';
import {
  CallNotes,
  type Cleared,
  type TrialTurn,
  type TriedPlatform,
  trialFile,
  trialPresentation,
} from '../../chat/live/trial.ts';
import { briefWaitsMs } from '../../chat/pacing/back-off.ts';
import type { PacingLimits } from '../../chat/pacing/call-ledger.ts';
import { createPacer } from '../../chat/pacing/pacer.ts';
import { tellTurn } from '../../chat/show/turn-teller.ts';
import { onRefusal } from '../discord-error.ts';
import { openAttached } from '../hearing/hear.ts';
import { heardIn, saidSchema } from '../hearing/said-message.ts';
import { replyMessages } from '../ingress/reply-message.ts';
import { postVerdict, redraw, unpostVerdict } from '../presenter/after-turn.ts';
import { DiscordCanvases } from '../presenter/discord-canvas.ts';
import { OpeningCards } from '../presenter/opening-cards.ts';
import { DiscordRest, type RestRequest } from '../rest/discord-rest.ts';
import { Faces, type OwnPicture } from '../rest/faces.ts';
import { type Identity, readIdentity } from '../rest/identity.ts';
import { postMessage, readAfter, type SeenMessage } from '../rest/messages.ts';
import { discordLimits } from '../rest/request-budget.ts';
import { addressOf, placeOf } from '../thread-id.ts';
import { fixFor, refusalOf, subjects } from './subjects.ts';

export interface DiscordTrialOptions {
  readonly token: string;
  /** Id of a text channel of a server. */
  readonly channel: string;
  readonly log: Log;
  readonly api: string;
  readonly ownPicture: OwnPicture;
  /** Absent: what Discord is known to allow. */
  readonly limits?: PacingLimits;
  /** Waits before each further try; absent: 16 s in all. */
  readonly retryWaitsMs?: readonly number[];
}

const timeoutMs = 15_000;
/** What a request cut off by the end of the trial has still posted is found by looking again. */
const mostLooks = 3;

/** Where the trial is held. */
interface Held {
  readonly guild: string;
  /** Its owner, who is brought into the thread and mentioned. */
  readonly owner: string;
  readonly identity: Identity;
}

const channelSchema = z.object({ guild_id: z.string() });
const madeSchema = z.object({ id: z.string(), token: z.string() });
const idSchema = z.object({ id: z.string() });
const guildSchema = z.object({ owner_id: z.string() });

export class DiscordTrial implements TriedPlatform {
  readonly subjects = subjects;
  readonly notes = new CallNotes();
  readonly #options: DiscordTrialOptions;
  readonly #rest: DiscordRest;
  readonly #canvases: DiscordCanvases;
  readonly #cards: OpeningCards;
  readonly afterVerdict: TriedPlatform['afterVerdict'];
  readonly #cleanup = new Cleanup();
  /** Through which sages speak. */
  #webhook: z.infer<typeof madeSchema> | undefined;
  #hasMadeWebhook = false;
  #held: Held | undefined;
  /** The thread of all turns, and the id of the card that it hangs on. */
  #thread: string | undefined;

  constructor(options: DiscordTrialOptions) {
    const { token, api, log, ownPicture, retryWaitsMs = briefWaitsMs } = options;
    const pacer = createPacer({ limits: options.limits ?? discordLimits });
    this.#options = options;
    this.#rest = new DiscordRest({
      ...{ token, api, timeoutMs, retryWaitsMs },
      around: (request, send) => this.#noted(request, send),
    });
    this.#cards = new OpeningCards(this.#rest, async () => this.#known().identity);
    this.#canvases = new DiscordCanvases({
      ...{ log, rest: this.#rest, outageWaitsMs: [] },
      ...{ pacer, ownPicture },
      now: Date.now,
      whoAmI: async () => this.#known().identity,
      knownCard: (eventId) => this.#cards.take(eventId),
      followUpNote: async () => 'This is a trial, and is deleted in a few minutes.',
      onNoPersonas: () => undefined,
    });
    const around = () => ({ rest: this.#rest, pacer, identity: this.#known().identity });
    this.afterVerdict = {
      redraw: async (turn) => redraw(turn, around()),
      post: async (turn) => postVerdict(turn, around()),
      unpost: async (turn) => unpostVerdict(turn, around()),
    };
  }

  async begin(): Promise<string> {
    const { channel } = this.#options;
    const get = (path: `/${string}`) => this.#rest.repeatedly({ method: 'GET', path });
    const identity = await readIdentity(this.#rest);
    const { guild_id: guild } = channelSchema.parse(await get(Routes.channel(channel)));
    const { owner_id: owner } = guildSchema.parse(await get(Routes.guild(guild)));
    this.#held = { guild, owner, identity };
    return `The token is good, and the bot sees the channel. Watch ${addressOf({ guild, thread: channel })}`;
  }

  /** The first is asked as by a command, on whose card the thread is opened; the others go on there. */
  async show(turn: TrialTurn, signal: AbortSignal): Promise<void> {
    const { guild, owner } = this.#known();
    const { channel, log } = this.#options;
    const asked = {
      turnId: crypto.randomUUID(),
      eventId: `${SnowflakeUtil.generate()}`,
      question: turn.question,
      author: { id: owner, name: 'the owner of the server' },
      askedAt: Date.now(),
    };
    const at = (thread: string) => placeOf({ guild, channel, thread }).threadId;
    const opening = { ...asked, threadId: at(asked.eventId) };
    this.#thread ??= (await this.#cards.open(opening)).messageId;
    const request = { ...asked, threadId: at(this.#thread) };
    const events = turn.events(request, signal);
    await tellTurn(trialPresentation(request), events, signal, this.#canvases, log);
  }

  async showReplies(): Promise<void> {
    const thread = this.#opened();
    const messages = replyMessages({
      isPrivate: false,
      blocks: [
        { type: 'text', text: `It is ${momentMark(Date.now())}.` },
        { type: 'table', header: ['sage', 'place'], rows: [['Ada', '1']] },
        { type: 'choices', choices: [{ label: 'Sages', command: 'sages' }] },
      ],
    });
    for (const { components } of messages) {
      const key = crypto.randomUUID();
      const message = { components, isOnlyComponents: true, key };
      const first = await postMessage(this.#rest, thread, message);
      if ((await postMessage(this.#rest, thread, message)) !== first) {
        throw new Error('Discord posted a message twice that carried the same nonce.');
      }
    }
    // Those of the turns' sages may be there already.
    const { log, ownPicture } = this.#options;
    const { applicationId } = this.#known().identity;
    const faces = new Faces({ rest: this.#rest, applicationId, ownPicture, log });
    await faces.of({ key: crypto.randomUUID(), name: 'Trial', source: 'custom' });
  }

  async openFile(signal: AbortSignal): Promise<OpenedFile> {
    const thread = this.#opened();
    const file = { name: trialFile.name, data: Buffer.from(trialFile.text) };
    const id = await postMessage(this.#rest, thread, {
      ...{ content: 'A file', files: [file], key: crypto.randomUUID() },
    });
    const path = Routes.channelMessage(thread, id);
    const said = saidSchema.parse(await this.#rest.repeatedly({ method: 'GET', path }));
    const source = heardIn(said, () => undefined)?.sources?.[0];
    if (source?.status !== 'pointed') return { status: 'withheld', why: 'the message names none' };
    return openAttached(source.address, this.#options.api, signal);
  }

  async readBack(): Promise<string> {
    const thread = this.#opened();
    const there = await this.#said(thread);
    const ids = new Set([thread, ...there.map(({ id }) => id)]);
    const posted = this.#cleanup.of('Message');
    const missing = posted.filter((id) => !ids.has(id)).length;
    const { length: size } = posted;
    if (missing > 0) throw new Error(`${missing} of ${size} messages are not in the thread.`);
    const names = new Set(there.flatMap((one) => (this.#isSage(one) ? [one.author.username] : [])));
    return `all ${size} messages are there; ${names.size} sages spoke under names of their own`;
  }

  async clear(): Promise<Cleared> {
    const thread = this.#thread;
    if (thread === undefined) return { left: [], forPeople: [] };
    const look = async () => {
      for (const one of await this.#said(thread)) this.#keep(one.id, thread, this.#isSage(one));
    };
    let left = await this.#cleanup.clear(look, mostLooks);
    const path = Routes.channel(thread);
    const answers = (method: 'GET' | 'DELETE') =>
      this.#rest.repeatedly({ method, path }).then(
        () => true,
        () => false,
      );
    const isLeft = !(await answers('DELETE')) && (await answers('GET'));
    const { id } = this.#webhook ?? {};
    // What sages have said is deleted through it.
    if (id !== undefined && this.#hasMadeWebhook) {
      this.#cleanup.add('The webhook', id, () => this.#delete({ path: Routes.webhook(id) }));
      left = await this.#cleanup.clear(async () => undefined);
    }
    const { guild } = this.#known();
    const emptyThread = `An empty thread is left, because deleting one takes the permission Manage Threads, which the bot needs for nothing else. Delete it by hand: ${addressOf({ guild, thread })}`;
    return { left, forPeople: isLeft ? [emptyThread] : [] };
  }

  readonly fixFor = fixFor;

  async #noted(request: RestRequest, send: () => Promise<unknown>): Promise<unknown> {
    const { method, path, body } = request;
    const refusal = refusalOf(request, this.notes.refusing);
    if (refusal) throw refusal;
    // The path of a webhook holds its token.
    const name = request.isAuthorizedByPath ? `${method} webhook` : `${method} ${path}`;
    return this.notes.note(name, body, async () => {
      const answer = await send();
      this.#keepTrack(request, answer);
      return answer;
    });
  }

  /** What the bot and its sages have said in the thread. */
  async #said(thread: string): Promise<readonly SeenMessage[]> {
    const { identity } = this.#known();
    const all = await readAfter(this.#rest, thread, thread);
    return all.filter((one) => one.author.id === identity.userId || this.#isSage(one));
  }

  #isSage({ webhook_id }: SeenMessage): boolean {
    return webhook_id !== undefined && webhook_id === this.#webhook?.id;
  }

  /** Reads out of a request that was carried out what it has made or deleted. */
  #keepTrack({ method, path, isAuthorizedByPath = false }: RestRequest, answer: unknown): void {
    const [, channel = this.#thread ?? ''] = /^\/channels\/(\d+)\/messages/.exec(path) ?? [];
    if (path.endsWith('/webhooks')) this.#keepWebhook(method, answer);
    if (method === 'DELETE') this.#cleanup.drop(path.split('/').at(-1) ?? '');
    if (method !== 'POST') return;
    if (path.endsWith('/emojis')) {
      const { id } = idSchema.parse(answer);
      const remove = () => this.#delete({ path: `${path}/${id}` });
      this.#cleanup.add('The application’s emoji', id, remove);
    }
    if (isAuthorizedByPath || path.endsWith('/messages')) {
      this.#keep(idSchema.parse(answer).id, channel, isAuthorizedByPath);
    }
  }

  #keepWebhook(method: string, answer: unknown): void {
    const made = madeSchema.safeParse(answer);
    if (method === 'POST' && made.success) {
      this.#webhook = made.data;
      this.#hasMadeWebhook = true;
    } else if (method === 'GET') {
      const own = z.array(z.looseObject({ application_id: z.string().nullish() })).parse(answer);
      const applicationId = this.#held?.identity.applicationId;
      const there = own.find(({ application_id }) => application_id === applicationId);
      this.#webhook = madeSchema.safeParse(there).data ?? this.#webhook;
    }
  }

  #keep(message: string, channel: string, isSage: boolean): void {
    this.#cleanup.add('Message', message, () => {
      if (!isSage || !this.#webhook) {
        return this.#delete({ path: Routes.channelMessage(channel, message) });
      }
      const { id, token } = this.#webhook;
      const query = new URLSearchParams({ thread_id: channel });
      const path = Routes.webhookMessage(id, token, message);
      return this.#delete({ path, query, isAuthorizedByPath: true });
    });
  }

  /** What is gone already is no matter. */
  #delete(what: Omit<RestRequest, 'method'>): Promise<unknown> {
    return this.#rest
      .repeatedly({ method: 'DELETE', ...what })
      .catch(onRefusal(undefined, 'unknownMessage', 'unknownChannel', 'unknownEmoji'));
  }

  #known(): Held {
    if (!this.#held) throw new Error('Discord was not asked yet who the bot is.');
    return this.#held;
  }

  #opened(): string {
    if (this.#thread === undefined) throw new Error('No thread was opened.');
    return this.#thread;
  }
}
