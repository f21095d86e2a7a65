/** How a sage appears: its name, its picture, and a label where it has to speak through the bot. */

import { createHash } from 'node:crypto';
import { Routes } from 'discord.js';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { pictureOf } from '../../../charts/drawing.ts';
import { type Faced, faceSvg } from '../../../charts/face.ts';
import type { Log } from '../../../domain/log.ts';
import type { Sage, Seat } from '../../../domain/turn.ts';
import { oneEmoji } from '../../../domain/words.ts';
import { pictureType } from '../../../settings/sages.ts';
import {
  labelOf,
  type NameStyle,
  type Personas,
  personasOf as personasIn,
  speakingName,
} from '../../chat/show/personas.ts';
import { outsideCode } from '../../chat/text/outside-code.ts';
import { shortName, unseenSpace, visibleName } from '../../chat/text/visible-text.ts';
import { onRefusal } from '../discord-error.ts';
import { mention } from '../discord-text.ts';
import type { DiscordRest } from '../rest/discord-rest.ts';

/** Where a dot breaks up words that Discord refuses in the name of a webhook, or as the whole of it. */
const forbiddenInNames = /(?<=cl)(?=yde)|(?<=dis)(?=cord)|(?<=^every)(?=one$)|(?<=^he)(?=re$)/gi;
const markup = /[\\*_~`|[\]<>]/g;
const longestName = 80;

/** Makes a name safe inside Markdown: it is shown literally, with no mention or formatting. */
export function inertDiscordName(name: string): string {
  return visibleName(name).replace(mention, unseenSpace).replace(markup, '\\$&');
}

/**
 * Makes a name acceptable for a webhook.
 *
 * @param fallback - Used if nothing visible is left; must itself be acceptable.
 * @returns 1 to 80 UTF-16 units on one line, cut between characters. A dot breaks up `clyde` and others
 *   that Discord refuses: it may strip invisible characters.
 */
export function webhookName(name: string, fallback: string): string {
  const allowed = visibleName(name).replace(forbiddenInNames, '·');
  return shortName(allowed, longestName) || fallback;
}

const names: NameStyle = { fit: (name) => webhookName(name, 'A sage'), inert: inertDiscordName };

const leadingBold = /^([\s>]*)\*\*(?!\*)((?:(?!\*\*).)+)\*\*(?!\*)/gm;

/** The name under which a sage speaks, unless another sage of the turn has it. */
export function discordNameOf(sage: Pick<Sage, 'name' | 'source'>): string {
  return speakingName(sage, names.fit);
}

/** The personas of a turn, by sage key. */
export function personasOf(seats: readonly Seat[]): Personas {
  return personasIn(seats, names);
}

/** A sage's name, for use in Markdown. */
export function nameOf(sage: string, personas: Personas): string {
  return personas.get(sage)?.nameInText ?? inertDiscordName(sage);
}

/**
 * Prepares text for below a label: bold at the start of a line would look like another sage's label, so it
 * becomes underlined. Code is unchanged.
 */
export function belowLabel(content: string): string {
  return outsideCode(content, (prose) => prose.replace(leadingBold, '$1__$2__'));
}

/** A message of the council or a sage. */
export interface OwnMessage {
  /** Under which a webhook posted it; `undefined`: the bot did. */
  readonly name: string | undefined;
  readonly content: string;
}

/** Finds the sage that posted a message, by the author's name or the label. */
export function speakerOf(said: OwnMessage, bench: readonly Sage[]): Sage | undefined {
  const [firstLine = ''] = said.content.split('\n', 1);
  // Without the number of a later part.
  const label = firstLine.replace(/ \(\d+\)$/, '');
  return bench.find((sage) => {
    const name = discordNameOf(sage);
    return said.name === undefined
      ? label === labelOf(sage, names.inert(name))
      : [said.name, withoutSign(said.name)].includes(name);
  });
}

function withoutSign(name: string): string {
  const [sign = '', ...rest] = name.split(' ');
  return oneEmoji.test(sign) ? rest.join(' ') : name;
}

/** The picture next to a sage's file: PNG, JPEG, GIF or WebP. Absent: the face is drawn. */
export type OwnPicture = (sage: Faced) => Buffer | undefined;

const emojiSchema = z.object({ id: z.string(), name: z.string().nullable() });
type Emoji = z.infer<typeof emojiSchema>;

/** Further sages are looked up again; failures are retried after a while. */
const maxCached = 5000;
const retryAfterMs = 10 * 60_000;

export interface FacesOptions {
  readonly rest: DiscordRest;
  readonly applicationId: string;
  readonly ownPicture: OwnPicture;
  readonly log: Log;
}

export class Faces {
  readonly #options: FacesOptions;
  readonly #known = new LRUCache<string, Promise<string | undefined>>({ max: maxCached });
  /** The application's emojis, once read. */
  #emojis: Promise<readonly Emoji[]> | undefined;

  constructor(options: FacesOptions) {
    this.#options = options;
  }

  /** The URL of a sage's picture; `undefined` if Discord accepts none or this machine can't draw one. Never rejects. */
  of(sage: Faced): Promise<string | undefined> {
    const key = prefixOf(sage);
    const known = this.#known.get(key);
    if (known) return known;
    const found = this.#find(sage).catch((error: unknown) => {
      this.#options.log.info({ sage: sage.key, error }, 'a sage speaks without a picture');
      this.#emojis = undefined;
      return undefined;
    });
    this.#known.set(key, found);
    void found.then((address) => {
      if (address === undefined) this.#known.set(key, found, { ttl: retryAfterMs });
    });
    return found;
  }

  /** Deletes the picture of a sage that no longer exists. Throws what Discord refuses. */
  async remove(sage: Faced): Promise<void> {
    this.#known.delete(prefixOf(sage));
    this.#emojis = undefined;
    for (const emoji of await this.#ofSage(sage)) await this.#delete(emoji);
    this.#emojis = undefined;
  }

  /** Uploads the picture only if it has changed. */
  async #find(sage: Faced): Promise<string | undefined> {
    const image = this.#options.ownPicture(sage) ?? (await pictureOf(faceSvg(sage), 1));
    if (!image) return undefined;
    const name = `${prefixOf(sage)}${digestOf(image, 10)}`;
    const before = await this.#ofSage(sage);
    const same = before.find((emoji) => emoji.name === name);
    if (same) return urlOf(same);
    const made = await this.#upload(name, image);
    for (const old of before) await this.#delete(old);
    return urlOf(made);
  }

  async #ofSage(sage: Faced): Promise<readonly Emoji[]> {
    this.#emojis ??= this.#read();
    const prefix = prefixOf(sage);
    return (await this.#emojis).filter(({ name }) => name?.startsWith(prefix));
  }

  async #read(): Promise<readonly Emoji[]> {
    const path = Routes.applicationEmojis(this.#options.applicationId);
    const answer = await this.#options.rest.withRetries({ method: 'GET', path });
    return z.object({ items: z.array(emojiSchema) }).parse(answer).items;
  }

  async #upload(name: string, image: Buffer): Promise<Emoji> {
    const { rest, applicationId } = this.#options;
    const path = Routes.applicationEmojis(applicationId);
    const body = { name, image: `data:${pictureType(image)};base64,${image.toString('base64')}` };
    return emojiSchema.parse(await rest.once({ method: 'POST', path, body }));
  }

  async #delete({ id }: Emoji): Promise<void> {
    const { rest, applicationId } = this.#options;
    const path = Routes.applicationEmoji(applicationId, id);
    await rest.withRetries({ method: 'DELETE', path }).catch(onRefusal(undefined, 'unknownEmoji'));
  }
}

/** The prefix of a sage's emoji names, at most 20 characters. All invented sages share one. */
function prefixOf({ key, source }: Faced): string {
  if (source === 'dynamic') return 'sage_invented_';
  return `sage_${digestOf(key, 12)}_`;
}

function digestOf(data: string | Buffer, length: number): string {
  return createHash('sha256').update(data).digest('hex').slice(0, length);
}

function urlOf({ id }: Emoji): string {
  return `https://cdn.discordapp.com/emojis/${id}.png`;
}
