/** The pictures under which sages speak: emojis of the application, whose addresses last and are public. */

import { createHash } from 'node:crypto';
import { Routes } from 'discord.js';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { pictureOf } from '../../../charts/drawing.ts';
import { type Faced, faceSvg } from '../../../charts/face.ts';
import type { Log } from '../../../domain/log.ts';
import { pictureType } from '../../../settings/sages.ts';
import { onRefusal } from '../discord-error.ts';
import type { DiscordRest } from './discord-rest.ts';

/** The picture that an operator has put beside a sage's file: PNG, JPEG, GIF or WebP. Absent: it is drawn. */
export type OwnPicture = (sage: Faced) => Buffer | undefined;

const emojiSchema = z.object({ id: z.string(), name: z.string().nullable() });
type Emoji = z.infer<typeof emojiSchema>;

/** Addresses of more sages are found by asking again; what failed is tried again after a while. */
const mostKnown = 5000;
const triedAgainAfterMs = 10 * 60_000;

export interface FacesOptions {
  readonly rest: DiscordRest;
  readonly applicationId: string;
  readonly ownPicture: OwnPicture;
  readonly log: Log;
}

export class Faces {
  readonly #options: FacesOptions;
  readonly #known = new LRUCache<string, Promise<string | undefined>>({ max: mostKnown });
  /** Emojis that the application has, once they were read. */
  #there: Promise<readonly Emoji[]> | undefined;

  constructor(options: FacesOptions) {
    this.#options = options;
  }

  /** The address of a sage's picture; absent where Discord takes none, or this machine draws none. Never rejects. */
  of(sage: Faced): Promise<string | undefined> {
    const key = prefixOf(sage);
    const known = this.#known.get(key);
    if (known) return known;
    const found = this.#find(sage).catch((error: unknown) => {
      this.#options.log.info({ sage: sage.key, error }, 'a sage speaks without a picture');
      this.#there = undefined;
      return undefined;
    });
    this.#known.set(key, found);
    void found.then((address) => {
      if (address === undefined) this.#known.set(key, found, { ttl: triedAgainAfterMs });
    });
    return found;
  }

  /** Takes the picture of a sage away that is there no more. Throws as Discord refuses it. */
  async remove(sage: Faced): Promise<void> {
    this.#known.delete(prefixOf(sage));
    this.#there = undefined;
    for (const emoji of await this.#ofSage(sage)) await this.#delete(emoji);
    this.#there = undefined;
  }

  /** Made anew only where the picture is another one than before. */
  async #find(sage: Faced): Promise<string | undefined> {
    const image = this.#options.ownPicture(sage) ?? (await pictureOf(faceSvg(sage), 1));
    if (!image) return undefined;
    const name = `${prefixOf(sage)}${digestOf(image, 10)}`;
    const before = await this.#ofSage(sage);
    const same = before.find((emoji) => emoji.name === name);
    if (same) return addressOf(same);
    const made = await this.#upload(name, image);
    for (const old of before) await this.#delete(old);
    return addressOf(made);
  }

  async #ofSage(sage: Faced): Promise<readonly Emoji[]> {
    this.#there ??= this.#read();
    const prefix = prefixOf(sage);
    return (await this.#there).filter(({ name }) => name?.startsWith(prefix));
  }

  async #read(): Promise<readonly Emoji[]> {
    const path = Routes.applicationEmojis(this.#options.applicationId);
    const answer = await this.#options.rest.repeatedly({ method: 'GET', path });
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
    await rest.repeatedly({ method: 'DELETE', path }).catch(onRefusal(undefined, 'unknownEmoji'));
  }
}

/** Begins the names of a sage's emojis; all sages that were invented for a turn share one. At most 20 signs. */
function prefixOf({ key, source }: Faced): string {
  if (source === 'dynamic') return 'sage_invented_';
  return `sage_${digestOf(key, 12)}_`;
}

function digestOf(data: string | Buffer, letters: number): string {
  return createHash('sha256').update(data).digest('hex').slice(0, letters);
}

function addressOf({ id }: Emoji): string {
  return `https://cdn.discordapp.com/emojis/${id}.png`;
}
