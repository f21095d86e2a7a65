/** Shows where a link leads: `[bank.com](https://evil.example)` must not pass for the bank's. */

import { unseenSpace } from './unseen-space.ts';

/**
 * A destination whose host can be read without doubt: no user before it, no escapes in it. Looked for
 * right after the label, with what platforms allow in between.
 */
const plainDestination = /\s*<?(https?:\/\/[\p{L}\p{N}.-]+(?::\d{1,5})?)(?=[/?#)>\s])/iuy;
const longestLabel = 300;

/**
 * Adds its host to the label of every Markdown link, unless the label is the address itself; a link
 * whose host cannot be read without doubt is shown as it was written and leads nowhere.
 */
export function showLinkHosts(text: string): string {
  return text.replace(/\]\(/g, (_, at: number) => {
    plainDestination.lastIndex = at + 2;
    const [, origin] = plainDestination.exec(text) ?? [];
    const host = origin !== undefined && URL.canParse(origin) ? new URL(origin).host : undefined;
    if (origin === undefined || host === undefined) return `]${unseenSpace}(`;
    const before = text.slice(Math.max(0, at - longestLabel), at);
    const label = before.slice(before.lastIndexOf('[') + 1);
    return showsHost(label, origin, host) ? '](' : ` (${host})](`;
  });
}

function showsHost(label: string, origin: string, host: string): boolean {
  if (label === host || label.endsWith(` (${host})`)) return true;
  const isAddress = label.startsWith(origin) && /^(?:[/?#]\S*)?$/.test(label.slice(origin.length));
  return isAddress && origin.toLowerCase().endsWith(`//${host}`);
}
