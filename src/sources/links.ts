/** The addresses of pages that a text names. */

/** How far a text is looked at. */
const mostChars = 20_000;
/** Found and not read, they are told; beyond these nothing is said. */
const mostLinks = 10;

const link = /https?:\/\/[^\s<>"`|\\^{}]{1,2000}/gi;

/**
 * @param isOwn - Of a host whose links lead to messages and not to pages.
 * @returns Each once, in order, at most ten.
 */
export function linksIn(text: string, isOwn: (host: string) => boolean): readonly string[] {
  const found = new Set<string>();
  for (const [written] of text.slice(0, mostChars).matchAll(link)) {
    const url = URL.parse(withoutTail(written));
    if (!url || isOwn(url.hostname)) continue;
    url.hash = '';
    found.add(url.href);
    if (found.size === mostLinks) break;
  }
  return [...found];
}

/** Without what belongs to the sentence around it. */
function withoutTail(written: string): string {
  const bare = written.replace(/[.,;:!?'’”»*_~\]]{1,20}$/, '');
  return bare.endsWith(')') && !bare.includes('(') ? bare.slice(0, -1) : bare;
}
