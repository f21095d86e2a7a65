import { type APIEmbed, ComponentType, MessageFlags } from 'discord-api-types/v10';
import type { FieldProblem } from '../rest/discord-error.ts';
import { type AnyComponent, allComponents, displayedText } from './components.ts';
import type { MessageBody } from './message-body.ts';

/** What a bot's or a webhook's message may hold. The public schema says 4,000 characters: true for some users only. */
const limits = {
  contentChars: 2000,
  embedChars: 6000,
  componentsInAll: 40,
  displayedChars: 4000,
  rows: 5,
} as const;

/** Components that exist only in messages with the Components V2 flag. */
const secondVersion: ReadonlySet<ComponentType> = new Set([
  ComponentType.Section,
  ComponentType.TextDisplay,
  ComponentType.Thumbnail,
  ComponentType.MediaGallery,
  ComponentType.File,
  ComponentType.Separator,
  ComponentType.Container,
]);

/** Whether a message with these flags consists of components alone. */
export function usesComponentsV2(flags: number | null | undefined): boolean {
  return ((flags ?? 0) & MessageFlags.IsComponentsV2) !== 0;
}

/**
 * What is wrong with a message beyond its schema.
 *
 * @param flags - The flags that the message will have, so that an edit is judged by the message it edits.
 */
export function contentProblems(body: MessageBody, flags: number): FieldProblem[] {
  const isV2 = usesComponentsV2(flags);
  const contentChars = [...(body.content ?? '')].length;
  const embedChars = (body.embeds ?? []).reduce((sum, embed) => sum + embedLength(embed), 0);
  return [
    ...(contentChars > limits.contentChars
      ? [tooLong(['content'], `Must be ${limits.contentChars} or fewer in length.`)]
      : []),
    ...(embedChars > limits.embedChars
      ? [tooLong(['embeds'], `Embed size exceeds maximum size of ${limits.embedChars}`)]
      : []),
    ...(isV2 ? legacyFields(body) : []),
    ...componentProblems(body.components ?? [], isV2),
  ];
}

function legacyFields(body: MessageBody): FieldProblem[] {
  const present = {
    content: (body.content ?? '') !== '',
    embeds: (body.embeds ?? []).length > 0,
    sticker_ids: (body.sticker_ids ?? []).length > 0,
    poll: body.poll !== undefined && body.poll !== null,
  };
  return Object.entries(present)
    .filter(([, isPresent]) => isPresent)
    .map(([field]) => ({
      path: [field],
      code: 'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
      message: `The '${field}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2`,
    }));
}

function componentProblems(components: readonly AnyComponent[], isV2: boolean): FieldProblem[] {
  const all = allComponents(components);
  const ids = all.flatMap(({ custom_id }) => custom_id ?? []);
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  const problems: (FieldProblem | undefined)[] = [
    isV2 || !all.some(({ type }) => secondVersion.has(type))
      ? undefined
      : {
          path: ['components'],
          code: 'COMPONENT_REQUIRES_COMPONENTS_V2',
          message: 'These components need MessageFlags.IS_COMPONENTS_V2',
        },
    !isV2 && components.length > limits.rows
      ? tooLong(['components'], `Must be ${limits.rows} or fewer in length.`)
      : undefined,
    all.length > limits.componentsInAll
      ? {
          path: ['components'],
          code: 'COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED',
          message: `The total number of components cannot exceed ${limits.componentsInAll}`,
        }
      : undefined,
    [...displayedText(components)].length > limits.displayedChars
      ? {
          path: ['components'],
          code: 'COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED',
          message: `Total text size exceeds maximum of ${limits.displayedChars}`,
        }
      : undefined,
    repeated === undefined
      ? undefined
      : {
          path: ['components'],
          code: 'COMPONENT_CUSTOM_ID_DUPLICATED',
          message: `Component custom id cannot be duplicated: ${repeated}`,
        },
  ];
  return problems.filter((problem) => problem !== undefined);
}

function embedLength(embed: APIEmbed): number {
  const texts = [
    embed.title,
    embed.description,
    embed.footer?.text,
    embed.author?.name,
    ...(embed.fields ?? []).flatMap(({ name, value }) => [name, value]),
  ];
  return texts.reduce((sum, text) => sum + [...(text ?? '')].length, 0);
}

function tooLong(path: readonly string[], message: string): FieldProblem {
  return { path, code: 'BASE_TYPE_MAX_LENGTH', message };
}

/** Whether there is nothing in a message to be shown. */
export function isEmpty(body: MessageBody, fileCount: number): boolean {
  const lists = [body.embeds, body.components, body.sticker_ids];
  return (
    (body.content ?? '').trim() === '' &&
    lists.every((list) => (list ?? []).length === 0) &&
    (body.poll === undefined || body.poll === null) &&
    fileCount === 0
  );
}
