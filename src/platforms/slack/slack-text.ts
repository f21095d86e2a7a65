/** Slack's rules for text that a model or a member wrote, and a message of Slack as plain words. */

import { shownTime, withMoments } from '../../domain/words.ts';
import { outsideCode } from '../chat/text/outside-code.ts';
import { excerpt } from '../chat/text/split-markdown.ts';
import {
  shortName,
  showLinkHosts,
  unseenSpace,
  visibleText,
  writtenMention,
} from '../chat/text/visible-text.ts';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
/** What Slack would show as another character. */
const entity = /&(?=(?:amp|lt|gt);)/g;
/** `[label]: address` on a line of its own makes a link of every `[label]`, and shows the address nowhere. */
const linkDefinition = /\](?=:)/g;
/** Of the application that is Slack itself. */
const reservedName = /(slack)(bot)/gi;
const longestName = 80;

/**
 * Writes the three characters that Slack reads as its own, so that `<!channel>`, `<@U…>` and
 * `<address|label>` are shown and not obeyed. For `text` and `mrkdwn`; five times as long at worst:
 * measure a message after it. Call it once: a second time would show the escapes.
 */
export function escapeSlackText(text: string): string {
  return text.replace(/[&<>]/g, (character) => entities[character] ?? character);
}

/**
 * Makes Markdown safe for Slack's `markdown` blocks and streams, in which its own `<…>` works, in
 * code as elsewhere: links show where they lead, nothing is invisible, nothing is live. Everything
 * else stays Markdown. Call it once, and before the text is split, because it may become longer.
 */
export function inertSlackMarkdown(markdown: string): string {
  return outsideCode(visibleText(markdown), (prose) =>
    showLinkHosts(prose).replace(linkDefinition, `]${unseenSpace}`),
  )
    .replace(entity, '&amp;')
    .replaceAll('<', '&lt;');
}

/** Shows the moments in escaped or inert text in the reader's own zone. */
export function slackMoments(text: string): string {
  return withMoments(text, (at) => {
    const shown = '{date_short_pretty} at {time}';
    return `<!date^${Math.floor(at / 1000)}^${shown}|${shownTime(at)} UTC>`;
  });
}

/**
 * The beginning of inert Markdown for a message's `text`, which notifications show.
 *
 * @param longest - UTF-16 units, `leastExcerptLimit` at least; a little more may come back.
 */
export function slackNotice(inertMarkdown: string, longest: number): string {
  return excerpt(inertMarkdown, longest).replaceAll('>', '&gt;');
}

/**
 * Makes a name fit for a message's `username`.
 *
 * @returns 1 to 80 UTF-16 units on one line, cut between characters; `slackbot` is parted by a dot.
 */
export function slackName(name: string): string {
  return shortName(name.replace(reservedName, '$1·$2'), longestName) || 'A sage';
}

/** A mention or a link, as Slack writes it. */
const token = /<([@#!]?)([^<>|\n]*)(?:\|([^<>\n]*))?>/g;
const characters: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };
/** Mentions beyond these keep their id. */
const maxPeople = 20;

/** The tokens of one kind: `@` people, `#` channels, `!` groups and the like. */
function tokensIn(text: string, kind: string) {
  return [...text.matchAll(token)].flatMap(([, sign, id = '', label = '']) =>
    sign === kind ? { id, label } : [],
  );
}

/** Ids of those who are mentioned, each once, without the bot; at most 20. */
export function peopleIn(text: string, botUserId: string | undefined): readonly string[] {
  const ids = new Set(tokensIn(text, '@').map(({ id }) => id));
  return [...ids].filter((id) => id !== '' && id !== botUserId).slice(0, maxPeople);
}

/** Ids of the channels that are mentioned without their names, each once. */
export function channelsIn(text: string): readonly string[] {
  const ids = tokensIn(text, '#').flatMap(({ id, label }) => (label === '' ? id : []));
  return [...new Set(ids)].slice(0, maxPeople);
}

export function mentions(text: string, userId: string | undefined): boolean {
  return tokensIn(text, '@').some(({ id }) => id === userId);
}

/** Whether people, groups or a whole channel are mentioned, besides the bot. */
export function mentionsOthers(text: string, botUserId: string | undefined): boolean {
  return (
    tokensIn(text, '@').some(({ id }) => id !== botUserId) ||
    // `<!here>`, `<!channel>`, `<!everyone>` and `<!subteam^S1>` call people; a date does not.
    tokensIn(text, '!').some(({ id }) => !id.startsWith('date^'))
  );
}

/** As it was written, without mentions of one. */
export function withoutMentionOf(text: string, userId: string | undefined): string {
  return text.replace(token, (written, sign: string, id: string) =>
    sign === '@' && id === userId ? ' ' : written,
  );
}

/**
 * @param botUserId - Mentions of it are left out.
 * @param names - By the id of a person or a channel; others are `someone`.
 */
export function plainQuestion(
  text: string,
  botUserId: string | undefined,
  names: ReadonlyMap<string, string>,
): string {
  return text
    .replace(token, (_, sign: string, id: string, label = '') => {
      if (sign === '@')
        return id === botUserId ? ' ' : writtenMention(names.get(id) ?? (label || 'someone'));
      if (sign === '#') return `#${label || (names.get(id) ?? 'a channel')}`;
      if (sign === '!') return commandWords(id, label);
      return label === '' || label === id ? id : `${label} (${id})`;
    })
    .replace(/&(?:amp|lt|gt);/g, (entity) => characters[entity] ?? entity)
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .trim();
}

/** `<!here>`, `<!subteam^S1|@team>`, `<!date^…|tomorrow>`. */
function commandWords(id: string, label: string): string {
  if (label !== '') return label;
  const [name = ''] = id.split('^', 1);
  return name === 'subteam' ? '@a group' : `@${name}`;
}
