/** The task `setup`: finds out with a person who speaks and where, and writes it. */

import { listed } from '../../domain/words.ts';
import { UneditableError } from '../../settings/file-edits.ts';
import { shownPath } from '../../settings/text-file.ts';
import { discordVariable, isSetForSlack } from '../platforms.ts';
import type { Surroundings } from '../session.ts';
import { discordStep, slackStep } from '../setup/chats-step.ts';
import { type Draft, joined, noDraft, save } from '../setup/draft.ts';
import { modelsStep } from '../setup/models-step.ts';
import { Cancelled, createPrompts, type Prompts, type Streams } from '../setup/prompts.ts';
import { findSources } from '../setup/sources.ts';
import { setupUnattended } from '../setup/unattended.ts';
import type { SetupOptions } from './task.ts';

type World = Pick<Surroundings, 'config' | 'places' | 'ending'>;

/** @returns 0 when all that was asked for is done, 1 when it was left or can't be done. */
export async function setupTask(around: Surroundings, options: SetupOptions): Promise<number> {
  const { isYes, ...choices } = options;
  const isInteractive = around.input.isTTY === true && around.output.isTTY === true;
  if (!isInteractive || isYes || Object.keys(choices).length > 0) {
    return setupUnattended(around, options);
  }
  return (await setup(around)) ? 0 : 1;
}

/**
 * Asks a person at a terminal. Nothing is written before the end: Ctrl-C at any question leaves the files
 * as they are.
 *
 * @returns Whether anything was written. What was read before holds no longer then: read it again, by
 *   `loadConfig(around.places)`.
 */
export async function setup(around: World & Streams): Promise<boolean> {
  const prompts = createPrompts(around);
  prompts.begin('Setting up the council');
  try {
    const draft = await ask(around, prompts);
    const written = save(around.places, draft);
    const isChanged = written.length > 0;
    prompts.end(
      isChanged
        ? `Written: ${listed(written.map(shownPath))}. \`npm start\` opens the council.`
        : 'Nothing was changed.',
      isChanged,
    );
    return isChanged;
  } catch (error) {
    if (error instanceof Cancelled) prompts.end('Nothing was changed.', false);
    else if (error instanceof UneditableError) prompts.end(error.message, false);
    else throw error;
    return false;
  }
}

const steps = {
  models: async (around: World, prompts: Prompts) =>
    modelsStep(around, prompts, await findSources(around)),
  discord: discordStep,
  slack: slackStep,
};

async function ask(around: World, prompts: Prompts): Promise<Draft> {
  const { config } = around;
  const hasDiscord = config.secrets.get(discordVariable) !== undefined;
  const hasSlack = isSetForSlack(config);
  const { default: speaking } = config.settings.models;
  if (speaking === 'auto' && !hasDiscord && !hasSlack) return askAll(around, prompts);
  const whether = (is: boolean) => (is ? 'set' : 'not set');
  const step = await prompts.choose('What would you like to change?', [
    { value: 'models', label: 'Who speaks', hint: `now ${speaking}` },
    { value: 'discord', label: 'Discord', hint: whether(hasDiscord) },
    { value: 'slack', label: 'Slack', hint: whether(hasSlack) },
  ]);
  return steps[step](around, prompts);
}

async function askAll(around: World, prompts: Prompts): Promise<Draft> {
  let draft = joined(noDraft, await steps.models(around, prompts));
  const where = await prompts.chooseSeveral(
    'Where should people ask it, besides this terminal? Press Enter for nowhere else.',
    [
      { value: 'discord', label: 'Discord' },
      { value: 'slack', label: 'Slack' },
    ],
    [],
  );
  for (const chat of where) draft = joined(draft, await steps[chat](around, prompts));
  return draft;
}
