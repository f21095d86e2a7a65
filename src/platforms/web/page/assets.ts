/** The style and the script of the pages, each under a name that changes with its content. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export interface Asset {
  readonly path: string;
  readonly mediaType: string;
  readonly content: string;
}

function asset(file: string, mediaType: string): Asset {
  const content = readFileSync(new URL(`browser/${file}`, import.meta.url), 'utf8');
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 12);
  const [name = '', ending = ''] = file.split('.');
  return { path: `/assets/${name}-${hash}.${ending}`, mediaType, content };
}

export const style = asset('council.css', 'text/css; charset=utf-8');
export const script = asset('council.js', 'text/javascript; charset=utf-8');
