import {
  type APIComponentInContainer,
  type APIComponentInMessageActionRow,
  type APIMessageTopLevelComponent,
  type APISectionAccessoryComponent,
  type APIUnfurledMediaItem,
  ComponentType,
  SeparatorSpacingSize,
} from 'discord-api-types/v10';
import { allComponents } from './components.ts';

interface Resolver {
  /** The next number that no component of the message has. */
  readonly nextId: () => number;
  readonly media: (url: string) => APIUnfurledMediaItem;
}

/**
 * Components as Discord gives them back: numbered in the order of the message, with the fields filled in
 * that a request may leave out.
 *
 * @param mediaOf - Where a picture or file can be fetched that the request named by `url`.
 */
export function resolvedComponents(
  components: readonly APIMessageTopLevelComponent[],
  mediaOf: (url: string) => APIUnfurledMediaItem,
): APIMessageTopLevelComponent[] {
  const taken = new Set(allComponents(components).map(({ id }) => id));
  let lastId = 0;
  const nextId = () => {
    do lastId += 1;
    while (taken.has(lastId));
    return lastId;
  };
  return components.map((component) => topLevel(component, { nextId, media: mediaOf }));
}

function topLevel(
  component: APIMessageTopLevelComponent,
  resolver: Resolver,
): APIMessageTopLevelComponent {
  if (component.type !== ComponentType.Container) return inContainer(component, resolver);
  return {
    ...component,
    id: component.id ?? resolver.nextId(),
    accent_color: component.accent_color ?? null,
    spoiler: component.spoiler ?? false,
    components: component.components.map((child) => inContainer(child, resolver)),
  };
}

function inContainer(
  component: APIComponentInContainer,
  resolver: Resolver,
): APIComponentInContainer {
  const id = component.id ?? resolver.nextId();
  switch (component.type) {
    case ComponentType.ActionRow:
      return {
        ...component,
        id,
        components: component.components.map((child) => inRow(child, resolver)),
      };
    case ComponentType.Section:
      return {
        ...component,
        id,
        components: component.components.map((text) => ({
          ...text,
          id: text.id ?? resolver.nextId(),
        })),
        accessory: accessory(component.accessory, resolver),
      };
    case ComponentType.Separator:
      return {
        ...component,
        id,
        divider: component.divider ?? true,
        spacing: component.spacing ?? SeparatorSpacingSize.Small,
      };
    case ComponentType.MediaGallery:
      return {
        ...component,
        id,
        items: component.items.map((item) => ({
          media: resolver.media(item.media.url),
          description: item.description ?? null,
          spoiler: item.spoiler ?? false,
        })),
      };
    case ComponentType.File: {
      const file = resolver.media(component.file.url);
      const name = new URL(file.url).pathname.split('/').at(-1) ?? 'file';
      return { ...component, id, file, name, size: 0, spoiler: component.spoiler ?? false };
    }
    case ComponentType.TextDisplay:
      return { ...component, id };
  }
}

function accessory(
  component: APISectionAccessoryComponent,
  resolver: Resolver,
): APISectionAccessoryComponent {
  const id = component.id ?? resolver.nextId();
  if (component.type === ComponentType.Button) return { ...component, id };
  return {
    ...component,
    id,
    media: resolver.media(component.media.url),
    description: component.description ?? null,
    spoiler: component.spoiler ?? false,
  };
}

function inRow(
  component: APIComponentInMessageActionRow,
  resolver: Resolver,
): APIComponentInMessageActionRow {
  const id = component.id ?? resolver.nextId();
  if (component.type === ComponentType.Button) return { ...component, id };
  const amounts = {
    min_values: component.min_values ?? 1,
    max_values: component.max_values ?? 1,
  };
  return { ...component, id, ...amounts };
}
