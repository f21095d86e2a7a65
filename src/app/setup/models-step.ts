/** The set-up step that chooses the models. */

import { listed } from '../../domain/words.ts';
import { keyForm } from '../../models/model-options.ts';
import { openModel } from '../../models/providers.ts';
import { isPlainWebAddress } from '../../settings/file-kinds.ts';
import { knownProviders } from '../../settings/known-providers.ts';
import type { Config } from '../../settings/load.ts';
import { timeoutSignal } from '../../waiting.ts';
import { tryModel } from '../open-models.ts';
import type { TaskContext } from '../tasks/task.ts';
import {
  type ChosenModel,
  type Draft,
  fullName,
  modelsDraft,
  providerOptions,
  whoWillSpeak,
} from './draft.ts';
import type { Choice, Prompts } from './prompts.ts';
import { isUsable, modelsOf, type Source, sourceAt } from './sources.ts';

type StepContext = Pick<TaskContext, 'config' | 'ending'>;

/** @returns The changes to write. Throws `Cancelled`. */
export async function modelsStep(
  context: StepContext,
  prompts: Prompts,
  sources: readonly Source[],
): Promise<Draft> {
  const first = await chooseModel(context, prompts, sources);
  const others = await chooseOthers(context, prompts, sources, first);
  const models = [first, ...others] as const;
  prompts.say('success', await whoWillSpeak(context.config, models));
  return modelsDraft(context.config, models);
}

/** The choice of something that is not listed. */
const unlisted = '(unlisted)';

async function chooseModel(
  context: StepContext,
  prompts: Prompts,
  sources: readonly Source[],
): Promise<ChosenModel> {
  let source = await chooseSource(prompts, sources);
  let next = '';
  while (true) {
    const offered = await modelsOf(source, context.ending);
    if (offered.problem !== undefined) prompts.say('warn', offered.problem);
    // A key may be allowed to use models and not to list them.
    if (!offered.isKeyRefused || next === 'model') {
      const chosen = { source, model: await chooseModelOf(source, offered.models, prompts) };
      prompts.say('step', `Asking ${fullName(chosen)} what a council asks …`);
      const problem = await modelProblem(context, chosen);
      if (problem === undefined) return chosen;
      prompts.say('error', problem);
    }
    next = await prompts.choose('What now?', [
      ...(source.apiKeyEnv ? [{ value: 'key' as const, label: 'Enter another key' }] : []),
      { value: 'model', label: `Choose ${offered.isKeyRefused ? 'a' : 'another'} model` },
      { value: 'source', label: 'Choose another provider or address' },
    ]);
    if (next === 'key') source = await withKey(prompts, source);
    if (next === 'source') source = await chooseSource(prompts, sources);
  }
}

const noLocalModels =
  'No server on this machine offers a model. To use Ollama, start it, run `ollama pull llama3.2:3b`, and begin again.';

async function chooseSource(prompts: Prompts, sources: readonly Source[]): Promise<Source> {
  if (!sources.some(({ listed }) => listed)) prompts.say('info', noLocalModels);
  const chosen = await prompts.choose('Which models should the council think with?', [
    ...sources.map(sourceChoice),
    { value: unlisted, label: 'Another server', hint: 'anything that speaks the OpenAI API' },
  ]);
  const source = sources.find(({ provider }) => provider === chosen);
  if (!source) return unlistedServer(prompts);
  return isUsable(source) ? source : withKey(prompts, source);
}

function sourceChoice({ provider, title, key, listed: models }: Source): Choice<string> {
  if (models) return { value: provider, label: `${title}, runs here with ${listed(models, 3)}` };
  if (key?.foundIn) return { value: provider, label: `${title}, with the key in ${key.foundIn}` };
  return { value: provider, label: title, hint: 'paste a key' };
}

async function unlistedServer(prompts: Prompts): Promise<Source> {
  const address = await prompts.text('Its address?', 'http://192.168.1.20:8000/v1', (typed) =>
    isPlainWebAddress(typed)
      ? undefined
      : 'Expected an http or https address, e.g. http://192.168.1.20:8000/v1',
  );
  const key = await prompts.secret('Its key? Leave it empty if it needs none.', (typed) =>
    typed === '' ? undefined : keyProblem(typed),
  );
  return sourceAt(address, key === '' ? undefined : key);
}

async function withKey(prompts: Prompts, source: Source): Promise<Source> {
  const { title, provider, apiKeyEnv, key } = source;
  const { keysAt } = knownProviders[provider] ?? {};
  if (keysAt) prompts.say('info', `${title} makes keys at ${keysAt}`);
  if (apiKeyEnv && key?.foundIn === apiKeyEnv) warnOfOverride(prompts, apiKeyEnv);
  const value = await prompts.secret(`Paste the key for ${title}. It is not shown.`, keyProblem);
  return { ...source, key: { value } };
}

/** @param variable - The one that is about to be written to `.env`. */
export function warnOfOverride(prompts: Prompts, variable: string): void {
  prompts.say(
    'warn',
    `If ${variable} is set in the environment, remove it there: it overrides .env.`,
  );
}

/** Describes what is wrong with a key's form; `undefined` if nothing is. */
export function keyProblem(typed: string): string | undefined {
  return keyForm.test(typed) ? undefined : 'Expected a key without spaces. Copy it again.';
}

async function chooseModelOf(source: Source, models: readonly string[], prompts: Prompts) {
  const chosen =
    models.length === 0
      ? unlisted
      : await prompts.choose(`Which model of ${source.title}?`, [
          ...models.map((model) => ({ value: model, label: model })),
          { value: unlisted, label: 'Another one', hint: 'type its name' },
        ]);
  if (chosen !== unlisted) return chosen;
  return prompts.text('The name of the model?', models[0] ?? 'my-model', (typed) =>
    /^\S{1,200}$/.test(typed) ? undefined : 'Expected a name without blanks',
  );
}

/** Time limit of a test call, in milliseconds; reasoning models take long, and so does loading a local one. */
const trialMs = 180_000;

/** Tests a model with a real call. @returns Why it can't be used, for people; `undefined` if it can. */
export async function modelProblem(
  { config, ending }: StepContext,
  chosen: ChosenModel,
): Promise<string | undefined> {
  const { source } = chosen;
  const late = new Error(`Nothing came within ${trialMs / 1000} s. Choose a faster model.`);
  try {
    const providers = { [source.provider]: providerOptions(config, source) };
    const model = openModel(fullName(chosen), providers);
    await tryModel(model, AbortSignal.any([ending, timeoutSignal(trialMs, late)]));
    return undefined;
  } catch (error) {
    ending.throwIfAborted();
    return error instanceof Error ? error.message : String(error);
  }
}

/** Chooses further models for the sages, and tests each. Those that fail are left out, with a warning. */
async function chooseOthers(
  context: StepContext,
  prompts: Prompts,
  sources: readonly Source[],
  first: ChosenModel,
): Promise<readonly ChosenModel[]> {
  const candidates = await otherModels(context, sources, first);
  if (candidates.length === 0) return [];
  const choices = await Promise.all(
    candidates.map(async (candidate) => {
      const line = await whoWillSpeak(withoutOwnModels(context.config), [candidate]);
      const cost = line.slice(line.lastIndexOf('; ') + 2, -1);
      const name = fullName(candidate);
      return { value: name, label: name, hint: `${cost}, if it is used for all` };
    }),
  );
  const wanted = await prompts.chooseSeveral(
    'Should the sages think with other models, too? Different models make different mistakes, so their agreement means more. Press Enter to keep one for all.',
    choices,
  );
  const chosen: ChosenModel[] = [];
  for (const candidate of candidates.filter((one) => wanted.includes(fullName(one)))) {
    prompts.say('step', `Asking ${fullName(candidate)} …`);
    const problem = await modelProblem(context, candidate);
    if (problem === undefined) chosen.push(candidate);
    else prompts.say('warn', `${problem} It is left out.`);
  }
  return chosen;
}

const mostOthers = 8;

async function otherModels(
  { ending }: StepContext,
  sources: readonly Source[],
  first: ChosenModel,
): Promise<readonly ChosenModel[]> {
  const usable = [first.source, ...sources.filter(isUsable)];
  const byProvider = new Map(usable.toReversed().map((source) => [source.provider, source]));
  const offered = await Promise.all(
    [...byProvider.values()].toReversed().map(async (source) => {
      const { models } = await modelsOf(source, ending);
      return models.map((model) => ({ source, model }));
    }),
  );
  return offered
    .flatMap((models) => models.slice(0, 4))
    .filter((candidate) => fullName(candidate) !== fullName(first))
    .slice(0, mostOthers);
}

/** The configuration with one model for every role, to estimate what a question costs with it. */
function withoutOwnModels(config: Config): Config {
  const { moderator: _m, sage: _s, reviewer: _r, chair: _c, ...models } = config.settings.models;
  const sages = config.sages.map(({ model: _model, ...sage }) => sage);
  return { ...config, sages, settings: { ...config.settings, models } };
}
