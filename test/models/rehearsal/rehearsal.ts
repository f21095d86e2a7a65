/** Starts rehearsals for tests, asks them through the real SDK, and closes them. */

import OpenAI from 'openai';
import { onTestFinished } from 'vitest';
import type { ChatMessage } from '../../../src/models/chat-model.ts';
import type { RehearsalOptions, RehearsalServer } from '../../fakes/rehearsal/options.ts';
import { startRehearsalServer } from '../../fakes/rehearsal/server.ts';
import { benchOfSages } from './bench-of-sages.ts';

export interface Rehearsal {
  readonly server: RehearsalServer;
  /** Never tries again by itself. */
  readonly client: OpenAI;
}

/** Closed when the test is over. */
export async function rehearse(options: Partial<RehearsalOptions> = {}): Promise<Rehearsal> {
  const server = await startRehearsalServer({ sages: benchOfSages, ...options });
  onTestFinished(() => server.close());
  const client = new OpenAI({ baseURL: server.baseUrl, apiKey: 'none', maxRetries: 0 });
  return { server, client };
}

/** The format of a reply under a contract of the council. */
export function contract(name: string, schema: Record<string, unknown> = { type: 'object' }) {
  return { type: 'json_schema', json_schema: { name, schema, strict: true } } as const;
}

/** Asks and waits for the text of the whole reply. */
export async function textOf(
  client: OpenAI,
  messages: readonly ChatMessage[],
  schema?: string,
  model = 'sages',
): Promise<string> {
  const completion = await client.chat.completions.create({
    model,
    messages: [...messages],
    ...(schema === undefined ? {} : { response_format: contract(schema) }),
  });
  const text = completion.choices[0]?.message.content;
  if (typeof text !== 'string') throw new Error('The rehearsal gave no text.');
  return text;
}
