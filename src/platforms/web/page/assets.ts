/** The style and the script of the pages, each under a name that changes with its content. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { saidStyle } from '../../../pages/page.ts';

export interface Asset {
  readonly path: string;
  readonly mediaType: string;
  readonly content: string;
}

/** @param before - What its content begins with. */
function asset(file: string, mediaType: string, before = ''): Asset {
  const content = before + readFileSync(new URL(`browser/${file}`, import.meta.url), 'utf8');
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 12);
  const [name = '', ending = ''] = file.split('.');
  return { path: `/assets/${name}-${hash}.${ending}`, mediaType, content };
}

export const style = asset('council.css', 'text/css; charset=utf-8', saidStyle);
export const script = asset('council.js', 'text/javascript; charset=utf-8');
