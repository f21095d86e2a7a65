/** Slack's rules for text that a model or a member wrote. */

import { showLinkHosts } from './link-hosts.ts';
import { outsideCode } from './outside-code.ts';
import { visibleText } from './visible-text.ts';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Writes the three characters that Slack reads as its own, so that `<!channel>`, `<@U…>` and
 * `<address|label>` are shown and not obeyed. Five times as long at worst: measure a message after
 * it. Call it once: a second time would show the escapes.
 */
export function escapeSlackText(text: string): string {
  return text.replace(/[&<>]/g, (character) => entities[character] ?? character);
}

/** Makes Markdown safe to be turned into Slack's own marks: links show where they lead, nothing is invisible, nothing is live. */
export function inertSlackText(markdown: string): string {
  return escapeSlackText(outsideCode(visibleText(markdown), showLinkHosts));
}
