/** What programs send to `/v1`, and the turn that it gets. */

import type { WebTurn } from '../../../../src/platforms/web/web-council.ts';
import { askedTurn, keyed, raw, type WebWorld } from '../web-world.ts';

const verdict = {
  ...({ kind: 'synthesis', verdict: 'Not yet.', by: 'test:chair', latencyMs: 1 } as const),
  consensus: [],
  disagreements: [],
  minorityReport: '',
  unsettled: [],
  dissent: [],
};
export const call = {
  model: 'test:m',
  stage: 'sage',
  outcome: 'answered',
  latencyMs: 1,
  estimated: false,
  inputTokens: 10,
  outputTokens: 4,
  reasoningTokens: 1,
};
export const answered: WebTurn = {
  ...askedTurn('turn-1', 'local', { verdict }),
  status: 'ended',
  outcome: 'answered',
  usage: [call, call],
};
export const key = keyed('k1', 'acme', 'ask');

export function post(
  world: Pick<WebWorld, 'port'>,
  body: unknown,
  headers: Record<string, string> = {},
  path = '/v1/chat/completions',
) {
  return raw(world.port, path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

export function asking(content: unknown, ...before: readonly object[]) {
  return { model: 'council', messages: [...before, { role: 'user', content }] };
}
