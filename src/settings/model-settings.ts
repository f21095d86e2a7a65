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
import { type KnownProvider, knownProviders } from './known-providers.ts';

/** The providers that need no entry in the file. An entry of the same name wins, setting by setting. */
const builtInProviders: Readonly<Record<string, object>> = Object.fromEntries(
  Object.entries(knownProviders).map(([name, known]) => [name, settingsOf(known)]),
);

/** Of what is known of a provider, that which the file can set. */
function settingsOf({
  title: _title,
  otherKeyNames: _names,
  keysAt: _keysAt,
  models: _models,
  hasManyMakers: _makers,
  ...settings
}: KnownProvider): object {
  return settings;
}

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

const reasoningEfforts = ['minimal', 'low', 'medium', 'high'] as const;
/** How long reasoning models think. */
export type ReasoningEffort = (typeof reasoningEfforts)[number];

const pricePerMillionTokens = z
  .number({ error: 'an amount in US dollars, 0 or more. Write e.g. 0.25' })
  .nonnegative({ error: 'an amount in US dollars, 0 or more. Write e.g. 0.25' });

const insteadOfDefault = (part: string) =>
  modelName
    .exactOptional()
    .meta({ description: `\`provider:model\` ${part}. Default: \`models.default\`.` });

/** The group `models`. */
export const modelSettings = z.preprocess(
  withFallbackList,
  group({
    default: pattern(
      /^auto$|^[a-z][a-z0-9_-]*:[^\s:]\S*$/,
      'auto or provider:model. Write e.g. auto',
    )
      .default('auto')
      .meta({
        description:
          '`provider:model` for every part that names none. `auto`: the first provider of docs/models.md whose key is set, else the first local server that answers. Without any, no sage speaks.',
      }),
    moderator: insteadOfDefault('that seats the sages'),
    sage: insteadOfDefault('that speaks for the sages'),
    reviewer: insteadOfDefault('that reviews the answers'),
    chair: insteadOfDefault('that writes the verdict'),
    fallback: z
      .array(modelName, { error: 'a list of provider:model. Write e.g. [ollama:llama3.2:3b]' })
      .default([])
      .meta({
        description:
          'Models, as `provider:model`, that stand in for any part whose own model fails, tried in this order; the receipt names who stood in. A file from before may say `chairFallback` for a list of one.',
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
    autoModels: z
      .record(
        providerName.meta({ title: 'provider' }),
        pattern(/^\S{1,200}$/, 'the name of a model, without its provider. Write e.g. gpt-5-mini'),
        { error: 'a list of models by provider. Write e.g. openai: gpt-5-mini' },
      )
      .default({})
      .meta({
        description:
          'The model that `auto` takes at this provider. Absent: the first that docs/models.md names, or that a local server lists and that can chat.',
      }),
    reasoningEffort: oneOf(reasoningEfforts).exactOptional().meta({
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
  }),
);

/** What files from before say: a model for the chair alone. */
function withFallbackList(given: unknown): unknown {
  if (!isGroup(given) || !('chairFallback' in given)) return given;
  const { chairFallback, ...others } = given;
  return { fallback: [chairFallback], ...others };
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
