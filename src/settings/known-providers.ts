/** The settings of a model server, and the known providers, which need only a key or a running server. */

import type { z } from 'zod';
import { baseUrl, group, oneOf, pattern, wholeNumber, yesOrNo } from './file-kinds.ts';

/** Name of a key's environment variable. Only upper case, to reject keys pasted by mistake. */
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
      'How many calls may run at the same time, over all processes; 1 for Ollama, 4 for LM Studio and llama.cpp. Further calls wait, round robin by workspace; waiting does not count toward the time limit of a stage.',
  }),
});

/** The address and capabilities of a model server. */
export type Provider = z.infer<typeof provider>;

/** A known provider, with defaults for its settings. */
export interface KnownProvider
  extends Pick<Provider, 'baseUrl'>,
    Partial<Omit<Provider, 'baseUrl'>> {
  /** For people. */
  readonly title: string;
  /** Other common names of the key's variable. */
  readonly otherKeyNames?: readonly string[];
  /** Address of the page for creating keys. */
  readonly keysAt?: string;
  /** Chat models to offer. `auto` uses the first. Empty if the server lists its own. */
  readonly models: readonly string[];
}

/**
 * In the order in which `auto` tries them: those with keys first, then servers on this machine.
 *
 * @see https://platform.claude.com/docs/en/api/openai-sdk (ignores `response_format` and `reasoning_effort`)
 * @see https://ai.google.dev/gemini-api/docs/openai
 * @see https://api-docs.deepseek.com/guides/json_mode (JSON objects, no schema)
 * @see https://docs.together.ai/docs/inference/openai-compatibility
 */
export const knownProviders: Readonly<Record<string, KnownProvider>> = {
  openai: {
    title: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    apiKeyEnv: 'OPENAI_API_KEY',
    keysAt: 'https://platform.openai.com/api-keys',
    models: ['gpt-5-mini', 'gpt-5.1', 'gpt-4.1'],
    outputLimit: 'max_completion_tokens',
    pictures: true,
  },
  openrouter: {
    title: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    apiKeyEnv: 'OPENROUTER_API_KEY',
    keysAt: 'https://openrouter.ai/keys',
    models: [
      'openai/gpt-5-mini',
      'anthropic/claude-haiku-4.5',
      'google/gemini-2.5-flash',
      'deepseek/deepseek-v3.2',
    ],
    statesCost: true,
    pictures: true,
  },
  anthropic: {
    title: 'Anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    apiKeyEnv: 'ANTHROPIC_API_KEY',
    otherKeyNames: ['CLAUDE_API_KEY'],
    keysAt: 'https://console.anthropic.com/settings/keys',
    models: ['claude-haiku-4-5', 'claude-sonnet-5', 'claude-opus-4-5'],
    structuredOutput: 'prompt',
    takesReasoningEffort: false,
    pictures: true,
  },
  gemini: {
    title: 'Google Gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    apiKeyEnv: 'GEMINI_API_KEY',
    otherKeyNames: ['GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
    keysAt: 'https://aistudio.google.com/apikey',
    models: ['gemini-3.5-flash', 'gemini-2.5-flash', 'gemini-2.5-pro'],
    pictures: true,
  },
  deepseek: {
    title: 'DeepSeek',
    baseUrl: 'https://api.deepseek.com/v1',
    apiKeyEnv: 'DEEPSEEK_API_KEY',
    keysAt: 'https://platform.deepseek.com/api_keys',
    models: ['deepseek-v4-flash', 'deepseek-v4-pro'],
    structuredOutput: 'json_object',
  },
  mistral: {
    title: 'Mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    apiKeyEnv: 'MISTRAL_API_KEY',
    keysAt: 'https://console.mistral.ai/api-keys',
    models: ['mistral-medium-latest', 'mistral-large-latest', 'mistral-small-latest'],
    // Its streams always end with the token count, and it rejects unknown fields.
    streamUsage: false,
    takesReasoningEffort: false,
    pictures: true,
  },
  groq: {
    title: 'Groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    apiKeyEnv: 'GROQ_API_KEY',
    keysAt: 'https://console.groq.com/keys',
    models: ['openai/gpt-oss-120b', 'llama-3.3-70b-versatile', 'qwen/qwen3-32b'],
  },
  xai: {
    title: 'xAI',
    baseUrl: 'https://api.x.ai/v1',
    apiKeyEnv: 'XAI_API_KEY',
    otherKeyNames: ['GROK_API_KEY'],
    keysAt: 'https://console.x.ai',
    models: ['grok-4.3', 'grok-4-fast-reasoning'],
    pictures: true,
  },
  together: {
    title: 'Together AI',
    baseUrl: 'https://api.together.ai/v1',
    apiKeyEnv: 'TOGETHER_API_KEY',
    otherKeyNames: ['TOGETHERAI_API_KEY'],
    keysAt: 'https://api.together.ai/settings/api-keys',
    models: [
      'meta-llama/Llama-3.3-70B-Instruct-Turbo',
      'openai/gpt-oss-120b',
      'deepseek-ai/DeepSeek-V3.1',
    ],
  },
  ollama: serverHere('Ollama', 11_434, 1),
  lmstudio: serverHere('LM Studio', 1234, 4),
  llamacpp: serverHere('llama.cpp', 8080, 4),
  vllm: serverHere('vLLM', 8000, 64),
};

/** A server on this machine, which lists its own models; with its usual port, and the calls that it runs at once. */
function serverHere(title: string, port: number, maxConcurrentCalls: number): KnownProvider {
  return { title, baseUrl: `http://127.0.0.1:${port}/v1`, models: [], maxConcurrentCalls };
}
