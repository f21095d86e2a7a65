/** The settings under `models`: who answers in which part, where it is reached, and what it costs. */

import { z } from 'zod';
import {
  baseUrl,
  group,
  isGroup,
  modelName,
  oneOf,
  pattern,
  sageKey,
  wholeNumber,
  yesOrNo,
} from './file-kinds.ts';

/**
 * The providers that need no entry in the file. An entry of the same name wins, setting by setting. Port 0 of `rehearsal`: the bot starts its own on any free port.
 */
const builtInProviders = {
  openai: { baseUrl: 'https://api.openai.com/v1', apiKeyEnv: 'OPENAI_API_KEY' },
  openrouter: { baseUrl: 'https://openrouter.ai/api/v1', apiKeyEnv: 'OPENROUTER_API_KEY' },
  ollama: { baseUrl: 'http://127.0.0.1:11434/v1' },
  rehearsal: { baseUrl: 'http://127.0.0.1:0/v1' },
} as const;

/** Name of an environment variable that holds a key. Upper case alone, so that a pasted key never passes. */
const environmentVariable = pattern(
  /^[A-Z][A-Z0-9_]{0,63}$/,
  'the name of an environment variable. Write e.g. OPENAI_API_KEY',
);

const providerName = pattern(
  /^[a-z][a-z0-9_-]*$/,
  "a provider's name: lower-case letters, digits, _ and -, a letter first. Write e.g. vllm",
);

const provider = group({
  baseUrl: baseUrl().meta({
    description:
      'Address of a server that speaks the OpenAI API. Predefined for `openai`, `openrouter`, `ollama` (also by `OLLAMA_HOST`) and `rehearsal` (scripted replies for tests; port 0: started with the bot).',
  }),
  apiKeyEnv: environmentVariable.exactOptional().meta({
    description:
      'Name of the environment variable with the key. Absent: the server needs none. Predefined for `openai` and `openrouter`.',
  }),
  structuredOutput: oneOf(['json_schema', 'json_object', 'prompt']).default('json_schema').meta({
    description:
      'How the server is first asked to answer in JSON: by schema, as any JSON object, or by the words of the prompt alone. A server that refuses one is asked in the next way.',
  }),
  streamUsage: yesOrNo().default(true).meta({
    description: 'Whether a streamed reply is asked to end with its token count.',
  }),
  maxConcurrentCalls: wholeNumber(1, 10_000, 32).default(64).meta({
    description:
      'How many calls it answers at the same time, over all processes. More wait, and get their turn workspace by workspace; the wait takes nothing from the time of a stage.',
  }),
});

/** Where a model is reached, and what its server can do. */
export type Provider = z.infer<typeof provider>;

const pricePerMillionTokens = z
  .number({ error: 'an amount in US dollars, 0 or more. Write e.g. 0.25' })
  .nonnegative({ error: 'an amount in US dollars, 0 or more. Write e.g. 0.25' });

const insteadOfDefault = (part: string) =>
  modelName
    .exactOptional()
    .meta({ description: `\`provider:model\` ${part}. Default: \`models.default\`.` });

/** The group `models`. */
export const modelSettings = group({
  default: pattern(/^auto$|^[a-z][a-z0-9_-]*:[^\s:]\S*$/, 'auto or provider:model. Write e.g. auto')
    .default('auto')
    .meta({
      description:
        '`provider:model` for every part that names none. `auto`: the first of OpenAI (`OPENAI_API_KEY`), OpenRouter (`OPENROUTER_API_KEY`), and a local server that answers. Without any of them no sage speaks.',
    }),
  moderator: insteadOfDefault('that seats the sages'),
  sage: insteadOfDefault('that speaks for the sages'),
  reviewer: insteadOfDefault('that reviews the answers'),
  chair: insteadOfDefault('that writes the verdict'),
  chairFallback: modelName.exactOptional().meta({
    description:
      '`provider:model` that writes the verdict when the chair fails. Absent: the top-ranked answer stands, under a notice.',
  }),
  compactor: insteadOfDefault('that shortens long histories'),
  embedding: modelName.exactOptional().meta({
    description:
      '`provider:model` that makes embeddings, by which memory also finds what was said in other words. Absent: it is searched by words alone.',
  }),
  sages: z
    .record(sageKey.meta({ title: 'sage' }), modelName, {
      error: 'a list of sage: provider:model. Write e.g. nassim_taleb: openai:gpt-5',
    })
    .default({})
    .meta({
      description:
        '`provider:model` that speaks for this sage. Goes before the `model` in its own file.',
    }),
  autoModels: group({
    openai: modelOfProvider('gpt-5-mini')
      .default('gpt-5-mini')
      .meta({ description: 'The model that `auto` takes at OpenAI.' }),
    openrouter: modelOfProvider('openai/gpt-5-mini')
      .default('openai/gpt-5-mini')
      .meta({ description: 'The model that `auto` takes at OpenRouter.' }),
    ollama: modelOfProvider('llama3.2:3b').exactOptional().meta({
      description:
        'The model that `auto` takes at a local server. Absent: the first that it lists and that can chat.',
    }),
  }).prefault({}),
  reasoningEffort: oneOf(['minimal', 'low', 'medium', 'high']).exactOptional().meta({
    description: "How long reasoning models think. Absent: the model's own default.",
  }),
  providers: z
    .preprocess(
      withBuiltInProviders,
      z.record(providerName.meta({ title: 'name' }), provider, {
        error:
          'a list of providers by name. Write e.g. vllm: { baseUrl: http://127.0.0.1:8000/v1 }',
      }),
    )
    .prefault({}),
  prices: z
    .record(
      modelName.meta({ title: 'provider:model' }),
      group({
        inputUsdPerMillionTokens: pricePerMillionTokens.meta({
          description:
            'Price of a million tokens read; goes before what the server says and before the built-in table.',
        }),
        outputUsdPerMillionTokens: pricePerMillionTokens.meta({
          description: 'Price of a million tokens written, reasoning included.',
        }),
      }),
      {
        error:
          'a list of prices by provider:model. Write e.g. openai:gpt-5-mini: { inputUsdPerMillionTokens: 0.25, outputUsdPerMillionTokens: 2 }',
      },
    )
    .default({}),
});

function modelOfProvider(example: string) {
  return pattern(/^\S{1,200}$/, `the name of a model, without its provider. Write e.g. ${example}`);
}

function withBuiltInProviders(given: unknown): unknown {
  if (!isGroup(given)) return given;
  const merged: Record<string, unknown> = { ...builtInProviders, ...given };
  for (const [name, settings] of Object.entries(builtInProviders)) {
    const own = given[name] ?? {};
    merged[name] = isGroup(own) ? { ...settings, ...own } : own;
  }
  return merged;
}
