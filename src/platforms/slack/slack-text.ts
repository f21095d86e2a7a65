/** Makes text from models and members safe for Slack, and turns Slack's markup into plain text. */

import { spacedBold } from '../../domain/markdown.ts';
import { shownTime, withMoments } from '../../domain/words.ts';
import { outsideCode } from '../chat/text/outside-code.ts';
import { ownMention, withoutOwnMentions } from '../chat/text/own-mentions.ts';
import { excerpt } from '../chat/text/split-markdown.ts';
import {
  shortName,
  showLinkHosts,
  unseenSpace,
  visibleText,
  writtenMention,
} from '../chat/text/visible-text.ts';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
/** Entities that Slack would decode. */
const entity = /&(?=(?:amp|lt|gt);)/g;
/** `[label]: address` on its own line turns every `[label]` into a link without showing the address. */
const linkDefinition = /\](?=:)/g;
/** Slack's own bot; the name is reserved. */
const reservedName = /(slack)(bot)/gi;
const longestName = 80;

/**
 * Escapes `&`, `<` and `>`, so that `<!channel>`, `<@U…>` and `<address|label>` are shown literally.
 * For `text` and `mrkdwn`. The result can be five times as long: measure a message after escaping.
 * Call it only once: a second call would show the escapes.
 */
export function escapeSlackText(text: string): string {
  return text.replace(/[&<>]/g, (character) => entities[character] ?? character);
}

/**
 * Makes Markdown safe for Slack's `markdown` blocks and streams, which interpret `<…>` even in code:
 * links show where they lead, and invisible characters and mentions are disabled. Everything else
 * stays Markdown. Call it only once, and before splitting, because the text may grow.
 */
export function inertSlackMarkdown(markdown: string): string {
  return outsideCode(visibleText(markdown), (prose) =>
    showLinkHosts(spacedBold(prose)).replace(linkDefinition, `]${unseenSpace}`),
  )
    .replace(entity, '&amp;')
    .replaceAll('<', '&lt;');
}

/** Makes Slack show the times in escaped or inert text in the reader's time zone. */
export function slackMoments(text: string): string {
  return withMoments(text, (at) => {
    const shown = '{date_short_pretty} at {time}';
    return `<!date^${Math.floor(at / 1000)}^${shown}|${shownTime(at)} UTC>`;
  });
}

const heading = /^#{1,6} +(.+)$/gm;
const boldText = /\*\*(?=\S)([^*\n]+)\*\*/g;

/** Writes bold words and headings of inert Markdown as `mrkdwn`, which Slack reads in a message's `text`. */
export function asMrkdwn(inertMarkdown: string): string {
  return outsideCode(inertMarkdown, (prose) =>
    prose
      .replace(heading, (_, title: string) => `**${title.replaceAll('**', '')}**`)
      .replace(boldText, '*$1*'),
  );
}

/**
 * Shortens inert Markdown for a message's `text`, which notifications show.
 *
 * @param longest - In UTF-16 units, at least 52; the result may be slightly longer.
 */
export function slackNotice(inertMarkdown: string, longest: number): string {
  return asMrkdwn(excerpt(inertMarkdown, longest)).replaceAll('>', '&gt;');
}

/**
 * Makes a name valid as a message's `username`.
 *
 * @returns 1 to 80 UTF-16 units on one line, cut between characters; `slackbot` gets a dot in the middle.
 */
export function slackName(name: string): string {
  return shortName(name.replace(reservedName, '$1·$2'), longestName) || 'A sage';
}

/** A mention or link in Slack's markup. */
const token = /<([@#!]?)([^<>|\n]*)(?:\|([^<>\n]*))?>/g;
const characters: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };
/** Further mentions are not resolved. */
const maxPeople = 20;

/** The tokens of one kind: `@` for people, `#` for channels, `!` for groups and the like. */
function tokensIn(text: string, kind: string) {
  return [...text.matchAll(token)].flatMap(([, sign, id = '', label = '']) =>
    sign === kind ? { id, label } : [],
  );
}

/** Distinct ids of up to 20 mentioned people, without the bot. */
export function peopleIn(text: string, botUserId: string | undefined): readonly string[] {
  const ids = new Set(tokensIn(text, '@').map(({ id }) => id));
  return [...ids].filter((id) => id !== '' && id !== botUserId).slice(0, maxPeople);
}

/** Distinct ids of up to 20 channels that are mentioned without a name. */
export function channelsIn(text: string): readonly string[] {
  const ids = tokensIn(text, '#').flatMap(({ id, label }) => (label === '' ? id : []));
  return [...new Set(ids)].slice(0, maxPeople);
}

export function mentions(text: string, userId: string | undefined): boolean {
  return tokensIn(text, '@').some(({ id }) => id === userId);
}

/** Whether anyone but the bot is mentioned: a person, a group or a whole channel. */
export function mentionsOthers(text: string, botUserId: string | undefined): boolean {
  return (
    tokensIn(text, '@').some(({ id }) => id !== botUserId) ||
    // `<!here>`, `<!channel>`, `<!everyone>` and `<!subteam^S1>` notify people; a date does not.
    tokensIn(text, '!').some(({ id }) => !id.startsWith('date^'))
  );
}

/** Replaces mentions of one user; the rest keeps Slack's markup. */
export function withoutMentionOf(text: string, userId: string | undefined, instead = ' '): string {
  return text.replace(token, (written, sign: string, id: string) =>
    sign === '@' && id === userId ? instead : written,
  );
}

/**
 * Turns a message in Slack's markup into plain text.
 *
 * @param botUserId - See {@link withoutOwnMentions} for its mentions.
 * @param names - By id of a person or channel; unknown people become `someone`, channels `a channel`.
 */
export function plainQuestion(
  text: string,
  botUserId: string | undefined,
  names: ReadonlyMap<string, string>,
): string {
  const named = text.replace(token, (_, sign: string, id: string, label = '') => {
    if (sign === '@')
      return id === botUserId ? ownMention : writtenMention(names.get(id) ?? (label || 'someone'));
    if (sign === '#') return `#${label || (names.get(id) ?? 'a channel')}`;
    if (sign === '!') return commandWords(id, label);
    return label === '' || label === id ? id : `${label} (${id})`;
  });
  return withoutOwnMentions(unescaped(named)).words;
}

/** Replaces Slack's escapes of `&`, `<` and `>`. */
export function unescaped(text: string): string {
  return text.replace(/&(?:amp|lt|gt);/g, (entity) => characters[entity] ?? entity);
}

/** `<!here>`, `<!subteam^S1|@team>`, `<!date^…|tomorrow>`. */
function commandWords(id: string, label: string): string {
  if (label !== '') return label;
  const [name = ''] = id.split('^', 1);
  return name === 'subteam' ? '@a group' : `@${name}`;
}
