/** Builds the components of messages (Components V2). */

import {
  type APIActionRowComponent,
  type APIButtonComponent,
  type APIComponentInMessageActionRow,
  type APIContainerComponent,
  type APIFileComponent,
  type APIMediaGalleryComponent,
  type APIMessageTopLevelComponent,
  type APISectionComponent,
  type APISeparatorComponent,
  type APITextDisplayComponent,
  ButtonStyle,
  ComponentType,
} from 'discord.js';
import { z } from 'zod';
import { firstCharacters } from '../../../domain/words.ts';
import { splitMarkdown } from '../../chat/text/split-markdown.ts';
import { type Action, customIdOf } from '../custom-id.ts';

export type Component = APIMessageTopLevelComponent;
export type Row = APIActionRowComponent<APIComponentInMessageActionRow>;

const longestLabel = 80;
/** Of a picture's alternative text, in characters. */
const longestDescription = 1024;
const textSchema = z.object({
  content: z.string().optional(),
  components: z.array(z.unknown()).default([]),
});

/** @param mark - The component id by which the message is found again. */
export function textPart(content: string, mark?: number): APITextDisplayComponent {
  return { type: ComponentType.TextDisplay, content, ...(mark === undefined ? {} : { id: mark }) };
}

export function separator(): APISeparatorComponent {
  return { type: ComponentType.Separator };
}

/** @param name - Name of a file attached to the message. */
export function filePart(name: string): APIFileComponent {
  return { type: ComponentType.File, file: { url: `attachment://${name}` } };
}

/** Colours of a container's edge. */
export const accents = {
  working: 0x5865f2,
  answered: 0x3ba55d,
  doubtful: 0xe0a030,
  failed: 0xd83c3e,
} as const;

/** @param spoiler - Whether it is hidden until it is clicked. */
export function container(
  components: APIContainerComponent['components'],
  accent?: number,
  spoiler = false,
): APIContainerComponent {
  return {
    type: ComponentType.Container,
    components,
    ...(spoiler && { spoiler }),
    ...(accent === undefined ? {} : { accent_color: accent }),
  };
}

/** Text with a picture next to it. */
export function section(
  text: APITextDisplayComponent,
  { url, description }: { readonly url: string; readonly description: string },
): APISectionComponent {
  const picture = { type: ComponentType.Thumbnail, media: { url }, description } as const;
  return { type: ComponentType.Section, components: [text], accessory: picture };
}

/** Shows attached pictures, each with an alternative text. */
export function gallery(
  pictures: readonly { readonly name: string; readonly description: string }[],
): APIMediaGalleryComponent {
  const items = pictures.map(({ name, description }) => ({
    media: { url: `attachment://${name}` },
    description: firstCharacters(description, longestDescription),
  }));
  return { type: ComponentType.MediaGallery, items };
}

/** Leaves out buttons whose action doesn't fit into a custom id; no row if none is left. */
export function buttonRow(buttons: readonly (APIButtonComponent | undefined)[]): readonly Row[] {
  const components = buttons.filter((one) => one !== undefined);
  return components.length === 0 ? [] : [{ type: ComponentType.ActionRow, components }];
}

export function button(
  label: string,
  action: Action,
  style: ButtonStyle.Secondary | ButtonStyle.Danger | ButtonStyle.Primary = ButtonStyle.Secondary,
): APIButtonComponent | undefined {
  const custom_id = customIdOf(action);
  return custom_id === undefined
    ? undefined
    : { type: ComponentType.Button, style, label: firstCharacters(label, longestLabel), custom_id };
}

export function linkButton(label: string, url: string): APIButtonComponent {
  return { type: ComponentType.Button, style: ButtonStyle.Link, label, url };
}

/** Discord's limit for a message without components, in characters. */
const maxContentChars = 2000;

/** The text of components, for messages without any: at least one piece, each short enough for a message. */
export function plainPieces(components: readonly Component[]): readonly string[] {
  const text = components.flatMap(textsOf).join('\n\n');
  const pieces = splitMarkdown(text, maxContentChars).filter((piece) => piece.trim() !== '');
  return pieces.length === 0 ? ['…'] : pieces;
}

/** The texts of a component and of those in it, in order. */
export function textsOf(component: unknown): readonly string[] {
  const { content, components } = textSchema.parse(component);
  return [...(content === undefined ? [] : [content]), ...components.flatMap(textsOf)];
}
