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
      'How the server is first asked to answer in JSON: by schema, as any JSON object, or by the words of the prompt alone. A server that refuses one is asked in the next way.',
  }),
  streamUsage: yesOrNo().default(true).meta({
    description: 'Whether a streamed reply is asked to end with its token count.',
  }),
  outputLimit: oneOf(['max_tokens', 'max_completion_tokens']).default('max_tokens').meta({
    description:
      'The name under which the server takes `limits.maxOutputTokens`. One that refuses it is sent the other.',
  }),
  takesReasoningEffort: yesOrNo().default(true).meta({
    description: 'Whether the server takes `models.reasoningEffort`.',
  }),
  pictures: yesOrNo().default(false).meta({
    description:
      'Whether its models look at pictures. One that refuses them is asked without; the receipt says which sages could not see.',
  }),
  statesCost: yesOrNo().default(false).meta({
    description: 'Whether the server states what a call has cost when it is asked to.',
  }),
  maxConcurrentCalls: wholeNumber(1, 10_000, 32).default(64).meta({
    description:
      'How many calls it answers at the same time, over all processes. More wait, and get their turn workspace by workspace; the wait takes nothing from the time of a stage.',
  }),
});

/** Where a model is reached, and what its server can do. */
export type Provider = z.infer<typeof provider>;
