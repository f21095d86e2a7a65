/** Tries the bot's messages on Discord itself; see `chat/live/trial.ts`. */

import { MessageFlags, Routes, SnowflakeUtil } from 'discord.js';
import { z } from 'zod';
import { english } from '../../domain/languages/english.ts';
import type { OpenedFile } from '../../domain/source.ts';
import type { TurnRequest } from '../../domain/turn.ts';
import {
  type Subject,
  type TrialOptions,
  type TriedPlatform,
  trialFile,
  trialReply,
} from '../chat/live/trial.ts';
import { type Refused, TrialRecord } from '../chat/live/trial-record.ts';
import { disputed, nextQuestion } from '../chat/live/whole-council.ts';
import { briefWaitsMs } from '../chat/pacing/back-off.ts';
import { createPacer } from '../chat/pacing/pacer.ts';
import { createDiscord } from './discord.ts';
import { DiscordRefusal, onRefusal, refusalCodes } from './discord-error.ts';
import { replyMessages } from './ingress/reply-message.ts';
import { type OpeningCards, openingCards } from './presenter/opening-cards.ts';
import type { OwnPicture } from './presenter/persona.ts';
import { DiscordRest, type DiscordRestOptions, type RestRequest } from './rest/discord-rest.ts';
import { type Identity, readIdentity } from './rest/identity.ts';
import { postMessage, readAfter, type SeenMessage } from './rest/messages.ts';
import { discordLimits } from './rest/request-budget.ts';
import { openAttachment } from './surroundings/hear.ts';
import { saidSchema, toHeardMessage } from './surroundings/said-message.ts';
import { addressOf, placeOf } from './thread-id.ts';

export interface DiscordTrialOptions extends TrialOptions {
  readonly token: string;
  readonly api: string;
  readonly ownPicture: OwnPicture;
}

const timeoutMs = 15_000;
/** A request cut off by the end of the trial may still post, so the trial looks several times. */
const maxLooks = 3;

const noDrawing = 'nothing was ranked, or this machine can’t draw; `doctor` says so';
const componentsFlag = `"flags":${MessageFlags.IsComponentsV2}`;
/** Matches the bot's posts, while the trial refuses `refusing`, whose body matches `rest`. */
const posted = (refusing: string, rest: string) =>
  new RegExp(`^${refusing} POST /channels/\\d+/messages ${rest}`);

/** In the order of the report. */
const subjects: readonly Subject[] = [
  ['messages of components (V2): card, ranking, verdict', posted('nothing', `.*${componentsFlag}`)],
  ['charts as pictures, in a gallery', posted('nothing', '.*attachment://ranking.png'), noDrawing],
  ['charts as text, where files are refused', posted('charts', '.*[█░]'), noDrawing],
  [
    'the deep round: what is in dispute, and what its parties say',
    posted('nothing', `.*(${disputed}|↩️)`),
  ],
  [
    'the menu and the suggested questions below a verdict',
    posted('\\w+', `(?=.*${english.again}).*${nextQuestion}`),
  ],
  ['edits of the card', /^nothing PATCH \S*\/messages\/\d+ /],
  ['a thread on the card', /^\w+ POST \S*\/threads /],
  ['a person brought into the thread (PUT thread-members)', /^\w+ PUT \S*\/thread-members\//],
  ['the channel’s webhook', /^\w+ (GET|POST) \/channels\/\d+\/webhooks /],
  ['the sages’ own names and pictures', /^\w+ POST webhook /],
  ['faces, uploaded as emojis of the application', /^\w+ (GET|POST) \/applications\/\d+\/emojis /],
  ['faces beside what sages say', /^\w+ POST webhook .*"https:\/\/cdn\.discordapp\.com\/emojis\//],
  ['the mention when it is done', posted('\\w+', '.*"users":\\["')],
  ['a file', posted('\\w+', '.*"content":"A file')],
  [
    'plain: the sages through the bot, and messages without components',
    posted('forms', `(?!.*${componentsFlag})`),
  ],
];

const fixes: Readonly<Record<number, string>> = {
  [refusalCodes.unknownChannel]:
    'Copy the channel’s id again: switch on Developer Mode in Discord, under Advanced, and choose Copy Channel ID in its menu.',
  [refusalCodes.missingAccess]: 'Add the bot to the channel: it needs View Channels there.',
  [refusalCodes.missingPermissions]:
    'Grant the bot the permissions of its invite link in this channel; `npm run council -- doctor` prints the link.',
  [refusalCodes.tooManyWebhooks]: 'Delete a webhook of the channel, under Integrations.',
  [refusalCodes.invalidForm]:
    'Discord no longer accepts this form. The bot uses a plainer one instead; report it with this line.',
};

/** The refusal that stands for a Discord that rejects anything with a plainer form. */
function refusalOf(
  { method, path, body, files = [] }: RestRequest,
  refusing: Refused,
): DiscordRefusal | undefined {
  const refused = (code: number, status: number) =>
    new DiscordRefusal(`Refused for the trial (code ${code}).`, { code, status });
  const forbidden = refused(refusalCodes.missingPermissions, 403);
  if (refusing === 'nothing') return undefined;
  if (refusing === 'charts') return files.length > 0 ? forbidden : undefined;
  if (method === 'POST' && path.startsWith('/webhooks/')) return forbidden;
  const isOfComponents = JSON.stringify(body ?? {}).includes(componentsFlag);
  return isOfComponents ? refused(refusalCodes.invalidForm, 400) : undefined;
}

interface Held {
  readonly guild: string;
  /** Its owner, who is added to the thread and mentioned. */
  readonly owner: string;
  readonly identity: Identity;
}

const channelSchema = z.object({ guild_id: z.string() });
const webhookSchema = z.object({ id: z.string(), token: z.string() });
const webhooksSchema = z.array(z.looseObject({ application_id: z.string().nullish() }));
const idSchema = z.object({ id: z.string() });
const guildSchema = z.object({ owner_id: z.string() });

export class DiscordTrial implements TriedPlatform {
  readonly subjects = subjects;
  readonly record = new TrialRecord();
  readonly egress: TriedPlatform['egress'];
  readonly #options: DiscordTrialOptions;
  readonly #rest: DiscordRest;
  readonly #cards: OpeningCards;
  /** The webhook through which sages speak. */
  #webhook: z.infer<typeof webhookSchema> | undefined;
  #hasMadeWebhook = false;
  #held: Held | undefined;
  /** The thread of all turns, which has the id of its card. */
  #thread: string | undefined;

  constructor(options: DiscordTrialOptions) {
    const { token, api, retryWaitsMs = briefWaitsMs } = options;
    const intercept: DiscordRestOptions['intercept'] = (request, send) =>
      this.#recorded(request, send);
    this.#options = options;
    this.#rest = new DiscordRest({ token, api, timeoutMs, retryWaitsMs, intercept });
    const pacer = createPacer(options.limits ?? discordLimits);
    this.#cards = openingCards(this.#rest, pacer, async () => this.#known().identity);
    this.egress = createDiscord({ ...options, commands: [], outageWaitsMs: [], intercept });
  }

  async begin(): Promise<string> {
    const { channel } = this.#options;
    const get = (path: `/${string}`) => this.#rest.withRetries({ method: 'GET', path });
    const identity = await readIdentity(this.#rest);
    const { guild_id: guild } = channelSchema.parse(await get(Routes.channel(channel)));
    const { owner_id: owner } = guildSchema.parse(await get(Routes.guild(guild)));
    this.#held = { guild, owner, identity };
    return `The token is good, and the bot sees the channel. Watch ${addressOf({ guild, thread: channel })}`;
  }

  /** The first question is asked like a command, whose card opens the thread; the others follow in that thread. */
  async ask(question: string): Promise<TurnRequest> {
    const { guild, owner } = this.#known();
    const { channel } = this.#options;
    const eventId = `${SnowflakeUtil.generate()}`;
    const asked = {
      turnId: crypto.randomUUID(),
      eventId,
      question,
      askedAt: Date.now(),
      author: { id: owner, name: 'the owner of the server' },
    };
    const at = (thread: string) => ({
      ...asked,
      threadId: placeOf({ guild, channel, thread }).threadId,
    });
    this.#thread ??= (await this.#cards.open(at(eventId))).messageId;
    return at(this.#thread);
  }

  async showReplies(): Promise<void> {
    const thread = this.#opened();
    for (const { components } of await replyMessages(trialReply())) {
      const message = { components, key: crypto.randomUUID() };
      const first = await postMessage(this.#rest, thread, message);
      if ((await postMessage(this.#rest, thread, message)) !== first) {
        throw new Error('Discord posted two messages with the same nonce.');
      }
    }
  }

  async openFile(signal: AbortSignal): Promise<OpenedFile> {
    const thread = this.#opened();
    const file = { name: trialFile.name, data: Buffer.from(trialFile.text) };
    const message = { content: 'A file', files: [file], key: crypto.randomUUID() };
    const path = Routes.channelMessage(thread, await postMessage(this.#rest, thread, message));
    const said = saidSchema.parse(await this.#rest.withRetries({ method: 'GET', path }));
    const source = toHeardMessage(said, () => undefined)?.sources?.[0];
    if (source?.status !== 'pointed') return { status: 'withheld', why: 'the message names none' };
    return openAttachment(source.address, this.#options.api, signal);
  }

  async look(): ReturnType<TriedPlatform['look']> {
    const thread = this.#opened();
    const { userId } = this.#known().identity;
    const isSage = (one: SeenMessage) =>
      one.webhook_id !== undefined && one.webhook_id === this.#webhook?.id;
    const all = await readAfter(this.#rest, thread, thread);
    const own = all.filter((one) => one.author.id === userId || isSage(one));
    for (const one of own) this.#trackMessage(one.id, thread, isSage(one));
    const names = new Set(own.filter(isSage).map(({ author }) => author.username));
    const ids = new Set([thread, ...own.map(({ id }) => id)]);
    return { ids, seen: `${names.size} sages spoke under names of their own` };
  }

  async clear(): ReturnType<TriedPlatform['clear']> {
    const thread = this.#thread;
    if (thread === undefined) return { left: [] };
    let left = await this.record.clear(() => this.look(), maxLooks);
    const path = Routes.channel(thread);
    const answers = (method: 'GET' | 'DELETE') =>
      this.#rest.withRetries({ method, path }).then(
        () => true,
        () => false,
      );
    const isLeft = !(await answers('DELETE')) && (await answers('GET'));
    // Last, because deleting the sages' messages takes the webhook.
    const { id } = this.#webhook ?? {};
    if (id !== undefined && this.#hasMadeWebhook) {
      this.record.made('The webhook', id, () => this.#delete({ path: Routes.webhook(id) }));
      left = await this.record.clear(async () => undefined);
    }
    if (!isLeft) return { left };
    const address = addressOf({ guild: this.#known().guild, thread });
    const forPeople = `An empty thread is left, because deleting one takes the permission Manage Threads, which the bot needs for nothing else. Delete it by hand: ${address}`;
    return { left, forPeople };
  }

  fixFor(error: unknown): string | undefined {
    return error instanceof DiscordRefusal ? fixes[error.code] : undefined;
  }

  async #recorded(request: RestRequest, send: () => Promise<unknown>): Promise<unknown> {
    const { method, path, body } = request;
    const refusal = refusalOf(request, this.record.refusing);
    if (refusal) throw refusal;
    // A webhook's path contains its token.
    const name = request.isAuthorizedByPath ? `${method} webhook` : `${method} ${path}`;
    return this.record.call(name, body, async () => {
      const answer = await send();
      this.#track(request, answer);
      return answer;
    });
  }

  /** Records what a request created or deleted. */
  #track({ method, path, isAuthorizedByPath = false }: RestRequest, answer: unknown): void {
    const [, channel = this.#thread ?? ''] = /^\/channels\/(\d+)\/messages/.exec(path) ?? [];
    if (method === 'DELETE') this.record.gone(path.split('/').at(-1) ?? '');
    if (method === 'GET' && path.endsWith('/webhooks')) {
      const applicationId = this.#held?.identity.applicationId;
      const isOwn = (one: { application_id?: unknown }) => one.application_id === applicationId;
      const existing = webhookSchema.safeParse(webhooksSchema.parse(answer).find(isOwn));
      if (existing.success) this.#webhook = existing.data;
    }
    if (method !== 'POST') return;
    if (path.endsWith('/webhooks')) {
      this.#webhook = webhookSchema.parse(answer);
      this.#hasMadeWebhook = true;
    } else if (path.endsWith('/emojis')) {
      const { id } = idSchema.parse(answer);
      const remove = () => this.#delete({ path: `${path}/${id}` });
      this.record.made('The application’s emoji', id, remove);
    } else if (isAuthorizedByPath || path.endsWith('/messages')) {
      this.#trackMessage(idSchema.parse(answer).id, channel, isAuthorizedByPath);
    }
  }

  #trackMessage(message: string, channel: string, isSage: boolean): void {
    this.record.made('Message', message, () => {
      if (!isSage || !this.#webhook) {
        return this.#delete({ path: Routes.channelMessage(channel, message) });
      }
      const { id, token } = this.#webhook;
      const query = new URLSearchParams({ thread_id: channel });
      const path = Routes.webhookMessage(id, token, message);
      return this.#delete({ path, query, isAuthorizedByPath: true });
    });
  }

  /** Does nothing if it is gone. */
  #delete(what: Omit<RestRequest, 'method'>): Promise<unknown> {
    return this.#rest
      .withRetries({ method: 'DELETE', ...what })
      .catch(onRefusal(undefined, 'unknownMessage', 'unknownChannel', 'unknownEmoji'));
  }

  #known(): Held {
    if (!this.#held) throw new Error('The trial has not begun.');
    return this.#held;
  }

  #opened(): string {
    if (this.#thread === undefined) throw new Error('No thread was opened.');
    return this.#thread;
  }
}
