/** Slack's rules for text that a model or a member wrote. */

import { shownTime, withMoments } from '../../domain/words.ts';
import { outsideCode } from '../chat/text/outside-code.ts';
import { excerpt } from '../chat/text/split-markdown.ts';
import { shortName, showLinkHosts, unseenSpace, visibleText } from '../chat/text/visible-text.ts';

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
