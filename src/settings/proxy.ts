/** Reads the proxy through which a company's machines reach the internet. */

import type { Mistake } from './config-source.ts';
import { brokenRules, type Environment, isAddress, Secrets } from './environment.ts';

/** Names of this machine in addresses, in the syntax of `NO_PROXY`. */
const thisMachine = 'localhost,127.0.0.1,::1,[::1]';

/**
 * Reads `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in either case.
 *
 * @returns `proxy`, in lower case as Node reads them first; HTTPS goes through `HTTP_PROXY` if that is the only one,
 *   and nothing on this machine is asked through either.
 */
export function readProxy(variables: Environment): {
  readonly proxy: Secrets;
  readonly mistakes: readonly Mistake[];
} {
  const read = (name: string) => variables[name.toLowerCase()] ?? variables[name];
  const address = (name: string) => read(name)?.replace(/^(?!\w+:\/\/)/, 'http://');
  const http = address('HTTP_PROXY');
  const https = address('HTTPS_PROXY') ?? http;
  const exempt = read('NO_PROXY');
  const no_proxy = exempt === undefined ? thisMachine : `${exempt},${thisMachine}`;
  const proxy = { http_proxy: http, https_proxy: https, no_proxy };
  // The value is not shown, because an address can contain a password.
  const text = 'it is not the address of an HTTP proxy. Write e.g. http://proxy.example:3128';
  const isBroken = (one?: string) => one !== undefined && !isAddress(one, ['http:', 'https:']);
  return {
    proxy: new Secrets(proxy, Object.keys(proxy)),
    mistakes: brokenRules([
      ['HTTP_PROXY', isBroken(http), text],
      ['HTTPS_PROXY', isBroken(https) && https !== http, text],
    ]),
  };
}
