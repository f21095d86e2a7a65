/** Opens a file that a message carries where the platform keeps it. */

import type { OpenedFile } from '../../../domain/source.ts';

const mostHops = 3;

export interface FileKeeper {
  /** Origins that files may come from, redirects included, e.g. `https://files.slack.com`. */
  readonly origins: readonly (string | undefined)[];
  /** Sent to these alone. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Why a file is not given, where the answer leads elsewhere or is no file. */
  readonly whyElsewhere: string;
  /** Whether this is a page for people in place of the file. */
  readonly isPage?: (headers: Headers) => boolean;
}

/** Redirects are followed by hand, and never to another host: what goes along with the request is a secret. */
export async function openFile(
  address: string,
  { origins, headers = {}, whyElsewhere, isPage = () => false }: FileKeeper,
  signal: AbortSignal,
): Promise<OpenedFile> {
  let url = URL.parse(address);
  for (let hop = 0; hop <= mostHops; hop += 1) {
    if (!url || !origins.includes(url.origin)) return { status: 'withheld', why: whyElsewhere };
    const response = await fetch(url, { redirect: 'manual', headers, signal });
    const location = response.headers.get('location');
    if (response.status === 200 && response.body && !isPage(response.headers)) {
      return { status: 'open', stream: response.body };
    }
    await response.body?.cancel();
    if (response.status === 200) break;
    if (response.status < 300 || response.status >= 400 || location === null) {
      return { status: 'withheld', why: 'it is not there any more' };
    }
    url = URL.parse(location, url.href);
  }
  return { status: 'withheld', why: whyElsewhere };
}

/** The origin of an address of an API that stands for the platform, e.g. a proxy. */
export function originOf(address: string | undefined): string | undefined {
  return address === undefined ? undefined : URL.parse(address)?.origin;
}
