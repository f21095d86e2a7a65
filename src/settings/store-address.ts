/** Where the store is, as the environment says. */

import type { Mistake } from './config-error.ts';
import type { Environment } from './secrets.ts';

/** The variables that choose the store; SQLite serves where none is set. */
export const storeVariables = [
  'REDIS_URL',
  'UPSTASH_REDIS_REST_URL',
  'UPSTASH_REDIS_REST_TOKEN',
] as const;

/** What is wrong with them. No value is shown: an address can hold a password. */
export function storeAddressMistakes(variables: Environment): readonly Mistake[] {
  const redis = variables.REDIS_URL;
  const upstash = variables.UPSTASH_REDIS_REST_URL;
  const token = variables.UPSTASH_REDIS_REST_TOKEN;
  const mistakes: Mistake[] = [];
  const add = (setting: string, text: string) => {
    mistakes.push({ file: 'environment', setting, text });
  };
  if (redis !== undefined && !isAddress(redis, ['redis:', 'rediss:']) && !isOfSeveral(redis)) {
    add('REDIS_URL', 'it is not the address of a server. Write e.g. redis://127.0.0.1:6379');
  }
  if (upstash !== undefined && !isAddress(upstash, ['http:', 'https:'])) {
    const text = 'it is not the address of a database. Copy it from console.upstash.com, REST API';
    add('UPSTASH_REDIS_REST_URL', text);
  }
  if (upstash !== undefined && token === undefined) {
    const text = 'is missing beside UPSTASH_REDIS_REST_URL. Copy it from the same place';
    add('UPSTASH_REDIS_REST_TOKEN', text);
  }
  if (upstash === undefined && token !== undefined) {
    const text = 'is missing beside UPSTASH_REDIS_REST_TOKEN. Copy it from the same place';
    add('UPSTASH_REDIS_REST_URL', text);
  }
  if (redis !== undefined && (upstash ?? token) !== undefined) {
    add('REDIS_URL', 'there can be one store, and Upstash is set too. Take one of them out');
  }
  return mistakes;
}

function isAddress(text: string, protocols: readonly string[]): boolean {
  const url = URL.parse(text);
  return url !== null && protocols.includes(url.protocol) && url.hostname !== '';
}

/** Several hosts: sentinels, with what they call the primary, or those of a cluster. */
function isOfSeveral(text: string): boolean {
  return /^rediss?\+(?:sentinel:\/\/[^/?]+\/[^/?]+|cluster:\/\/[^/?]+\/?$)/.test(text);
}
