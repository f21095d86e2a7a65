/** What is set of a model server. */

import type { z } from 'zod';
import { baseUrl, group, oneOf, pattern, wholeNumber, yesOrNo } from './file-kinds.ts';

/** Name of an environment variable that holds a key. Upper case alone, so that a pasted key never passes. */
const environmentVariable = pattern(
  /^[A-Z][A-Z0-9_]{0,63}$/,
  'the name of an environment variable. Write e.g. OPENAI_API_KEY',
);

export const provider = group({
  baseUrl: baseUrl().meta({
    description:
      'Address of a server that speaks the OpenAI API. Predefined for the providers of docs/models.md (that of `ollama` also by `OLLAMA_HOST`).',
  }),
  apiKeyEnv: environmentVariable.exactOptional().meta({
    description:
      'Name of the environment variable with the key. Absent: the server needs none. Predefined for the providers of docs/models.md.',
  }),
  structuredOutput: oneOf(['json_schema', 'json_object', 'prompt']).default('json_schema').meta({
    description:
      'How Council first asks the server for JSON: by schema, as any JSON object, or only in the prompt. If the server refuses one, Council tries the next.',
  }),
  streamUsage: yesOrNo().default(true).meta({
    description: 'Whether a streamed reply is asked to end with its token count.',
  }),
  outputLimit: oneOf(['max_tokens', 'max_completion_tokens']).default('max_tokens').meta({
    description:
      'The server’s name for `limits.maxOutputTokens`. If it refuses one, Council sends the other.',
  }),
  takesReasoningEffort: yesOrNo().default(true).meta({
    description: 'Whether the server accepts `models.reasoningEffort`.',
  }),
  pictures: yesOrNo().default(false).meta({
    description:
      'Whether its models accept pictures. If a model refuses them, Council asks again without; the receipt says which sages could not see them.',
  }),
  statesCost: yesOrNo().default(false).meta({
    description: 'Whether the server states the cost of a call on request.',
  }),
  maxConcurrentCalls: wholeNumber(1, 10_000, 32).default(64).meta({
    description:
      'How many calls may run at the same time, over all processes. Further calls wait, round robin by workspace; waiting does not count toward the time limit of a stage.',
  }),
});

/** Where a model is reached, and what its server can do. */
export type Provider = z.infer<typeof provider>;
