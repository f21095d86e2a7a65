/** A page on loopback that questions link to. */

import type { MayConnect } from '../../src/sources/sources.ts';
import { serve } from '../fakes/loopback.ts';

const page = `<!doctype html><title>Falcon flies</title><body><article><p>${'The bridge is closed until May. '.repeat(10)}</p></article>`;

export async function linkedPage() {
  const { origin, port, asked } = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  });
  /** Lets links lead to it, and to nothing else. */
  const mayConnect: MayConnect = (host, at) => host === '127.0.0.1' && at === port;
  return { address: `${origin}/falcon`, asked, mayConnect };
}
