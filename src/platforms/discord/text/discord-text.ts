/** Discord's rules for text that a model or a member wrote. Pings are forbidden besides, with `allowed_mentions`. */

import { oneLine } from '../../../domain/words.ts';
import { outsideCode } from '../../chat/text/outside-code.ts';
import {
  shortName,
  showLinkHosts,
  unseenSpace,
  visibleName,
  visibleText,
} from '../../chat/text/visible-text.ts';
import { discordDialect } from './discord-dialect.ts';

/** Where to part what Discord would show as a mention: of everybody, a person, a role, a command, a place of the server. */
const mention = /(?<=@)(?=everyone|here)|(?<=<@)(?=[!&]?\d)|(?<=<)(?=\/[^\n>]{1,100}:\d|id:)/g;
const forbiddenInNames = /(cl)(yde)|(dis)(cord)/gi;
const markup = /[\\*_~`|[\]<>]/g;
const longestName = 80;

/**
 * Makes Markdown safe to post: nothing in it looks like a mention, links show where they lead,
 * nothing is invisible. Code stays as it was, but for invisible characters. Call it before the text
 * is split, because it may become longer. Calling it again changes nothing.
 */
export function inertDiscordText(markdown: string): string {
  return inert(visibleText(markdown));
}

/**
 * Makes Markdown of a model safe to post, as {@link inertDiscordText}, and writes what Discord does not
 * show, e.g. tables, with what it shows. Call it once, and before the text is split.
 */
export function discordMarkdown(markdown: string): string {
  return inert(discordDialect(visibleText(markdown)));
}

function inert(visible: string): string {
  return outsideCode(visible, (prose) => showLinkHosts(prose).replace(mention, unseenSpace));
}

/** The same as {@link inertDiscordText} on one line, and without anything that would begin another. */
export function inertDiscordLine(text: string): string {
  return oneLine(inertDiscordText(text));
}

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
