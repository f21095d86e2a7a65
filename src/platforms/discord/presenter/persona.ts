/** How a sage appears: its name, its picture, and a label where it has to speak through the bot. */

import { createHash } from 'node:crypto';
import { Routes } from 'discord.js';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { pictureOf } from '../../../charts/drawing.ts';
import { type Faced, faceSvg } from '../../../charts/face.ts';
import type { Log } from '../../../domain/log.ts';
import type { Sage, Seat } from '../../../domain/turn.ts';
import { pictureType } from '../../../settings/sages.ts';
import {
  bareName,
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

const forbiddenInNames = /(cl)(yde)|(dis)(cord)/gi;
const markup = /[\\*_~`|[\]<>]/g;
const longestName = 80;

/** Makes a name safe to stand in Markdown: it is shown as it is written, and nothing in it works. */
export function inertDiscordName(name: string): string {
  return visibleName(name).replace(mention, unseenSpace).replace(markup, '\\$&');
}

/**
 * Makes a name fit for a webhook.
 *
 * @param fallback - Taken where nothing visible is left; itself a name that Discord takes.
 * @returns 1 to 80 UTF-16 units on one line, cut between characters; `clyde` and `discord`, which
 *   Discord refuses, are parted by a dot, because an invisible character may be taken out there.
 */
export function webhookName(name: string, fallback: string): string {
  const allowed = visibleName(name).replace(
    forbiddenInNames,
    (_, cl = '', yde = '', dis = '', cord = '') => `${cl}${dis}·${yde}${cord}`,
  );
  return shortName(allowed, longestName) || fallback;
}

const names: NameStyle = { fit: (name) => webhookName(name, 'A sage'), inert: inertDiscordName };

const boldBegin = /^([\s>]*)\*\*(?!\*)((?:(?!\*\*).)+)\*\*(?!\*)/gm;

/** The name under which a sage speaks, if no other sage of the turn has it. */
export function discordNameOf(sage: Pick<Sage, 'name' | 'source'>): string {
  return speakingName(sage, names.fit);
}

/** The personas of a turn, by the sages' keys. */
export function personasOf(seats: readonly Seat[]): Personas {
  return personasIn(seats, names);
}

/** Name of a sage, to stand in Markdown. */
export function nameOf(sage: string, personas: Personas): string {
  return personas.get(sage)?.nameInText ?? inertDiscordName(sage);
}

/**
 * What a sage says below its label. Bold at the beginning of a line would look like the label of
 * another sage, so it is underlined instead; code is left alone.
 */
export function belowLabel(content: string): string {
  return outsideCode(content, (prose) => prose.replace(boldBegin, '$1__$2__'));
}

/** Finds the sage of a bench that has said a message: by the name it was said under, or by its label. */
export function speakerOf(
  said: { readonly name: string | undefined; readonly content: string },
  bench: readonly Sage[],
): Sage | undefined {
  const [firstLine = ''] = said.content.split('\n', 1);
  return bench.find((sage) => {
    const name = discordNameOf(sage);
    return said.name === undefined
      ? firstLine === labelOf(sage, names.inert(name))
      : bareName(said.name) === name;
  });
}

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
