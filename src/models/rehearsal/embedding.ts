/** Answers one request for embeddings. */

import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { inBase64, lexicalVector } from './lexical-vector.ts';
import { refuse } from './refusal.ts';
import { chatModels, embeddingBodySchema, embeddingModel, usageOf } from './wire.ts';

const defaultDimensions = 256;

/** Any model of the server will do; the vectors are those of {@link lexicalVector}, in the order of the texts. */
export function answerEmbeddings(unknownBody: unknown, response: ServerResponse): void {
  const parsed = embeddingBodySchema.safeParse(unknownBody);
  if (!parsed.success) {
    refuse(response, { status: 400, message: z.prettifyError(parsed.error), code: null });
    return;
  }
  const { model, input, dimensions, encoding_format } = parsed.data;
  if (![embeddingModel, ...chatModels].some((known) => known === model)) {
    const message = `The model ${JSON.stringify(model.slice(0, 80))} does not exist here. The rehearsal embeds with ${embeddingModel}.`;
    refuse(response, { status: 404, message, code: 'model_not_found' });
    return;
  }
  const texts = typeof input === 'string' ? [input] : input;
  const data = texts.map((text, index) => {
    const vector = lexicalVector(text, dimensions ?? defaultDimensions);
    const embedding = encoding_format === 'base64' ? inBase64(vector) : vector;
    return { object: 'embedding', index, embedding };
  });
  const { prompt_tokens, total_tokens } = usageOf(
    texts.reduce((sum, text) => sum + text.length, 0),
    0,
  );
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ object: 'list', model, data, usage: { prompt_tokens, total_tokens } }));
}
