/** The settings under `models`: the model of each part, the providers, and prices. */

import { z } from 'zod';
import { group, isGroup, modelName, oneOf, pattern, sageKey } from './file-kinds.ts';
import { type KnownProvider, knownProviders, provider } from './known-providers.ts';

/** The providers that need no entry in the file. Settings in an entry of the same name take precedence. */
const builtInProviders: Readonly<Record<string, object>> = Object.fromEntries(
  Object.entries(knownProviders).map(([name, known]) => [name, settingsOf(known)]),
);

/** The part of a known provider that the file can set. */
function settingsOf(known: KnownProvider): object {
  return Object.fromEntries(Object.entries(known).filter(([name]) => name in provider.shape));
}

const providerName = pattern(
  /^[a-z][a-z0-9_-]*$/,
  "a provider's name: lower-case letters, digits, _ and -, a letter first. Write e.g. vllm",
);

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
export const modelSettings = group({
  default: pattern(
    /^auto$|^[a-z][a-z0-9_-]*:[^\s:]\S*$/,
    'auto or provider:model. Write e.g. openai:gpt-5',
  )
    .default('auto')
    .meta({
      description:
        '`provider:model` for every part without a model of its own. `auto`: the first provider of docs/models.md whose key is set, else the first local server that answers. Without any, sages can’t answer.',
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
        'Models, as `provider:model`, to use, in this order, when a part’s own model fails; the receipt names the one used.',
    }),
  compactor: insteadOfDefault('that shortens long histories'),
  embedding: modelName.exactOptional().meta({
    description:
      '`provider:model` that makes embeddings, so that memory also finds what was said in other words. Absent: memory is searched by words alone.',
  }),
  sages: z
    .record(sageKey.meta({ title: 'sage' }), modelName, {
      error: 'a list of sage: provider:model. Write e.g. nassim_taleb: openai:gpt-5',
    })
    .default({})
    .meta({
      description: '`provider:model` of this sage. Overrides the `model` in its own file.',
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
        'The model that `auto` uses for this provider. Absent: the one in docs/models.md, or the first chat model that a local server lists.',
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
            'Price of a million input tokens; overrides what the server says and the built-in table.',
        }),
        outputUsdPerMillionTokens: pricePerMillionTokens.meta({
          description: 'Price of a million output tokens, reasoning included.',
        }),
      }),
      {
        error:
          'a list of prices by provider:model. Write e.g. openai:gpt-5-mini: { inputUsdPerMillionTokens: 0.25, outputUsdPerMillionTokens: 2 }',
      },
    )
    .default({}),
});

function withBuiltInProviders(given: unknown): unknown {
  if (!isGroup(given)) return given;
  const merged: Record<string, unknown> = { ...builtInProviders, ...given };
  for (const [name, settings] of Object.entries(builtInProviders)) {
    const own = given[name] ?? {};
    merged[name] = isGroup(own) ? { ...settings, ...own } : own;
  }
  return merged;
}
