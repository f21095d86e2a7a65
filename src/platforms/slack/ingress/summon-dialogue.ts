/** How a member makes a sage: described in a modal, read in it, and saved or let go. */

import { z } from 'zod';
import { summonForm } from '../../chat/forms/summon-form.ts';
import { carriedForm, type Form } from '../action-id.ts';
import { answerIn, failureWords, type PrivateAnswer } from './answers.ts';
import { type Modal, openModal, plain, replyModal, sayingModal, updateModal } from './modals.ts';
import { type ChannelScene, placeOfScene, sceneOf } from './scene.ts';
import type { DialogueOptions } from './settings-dialogue.ts';

type SummonForm = Extract<Form, { kind: 'summon' }>;

const typed = z.object({ value: z.string().nullish() });
/** By the name of each input, once as the block and once as the element in it. */
const viewSchema = z.object({
  id: z.string(),
  state: z.object({ values: z.record(z.string(), z.record(z.string(), typed)) }),
});

/** Throws what Slack throws. */
export async function openSummon(
  { api }: DialogueOptions,
  scene: ChannelScene,
  triggerId: string,
): Promise<void> {
  await openModal(api, scene.team, triggerId, summonModal(scene));
}

/** What the modal says while a model drafts the sage. */
export function drafting(form: SummonForm): Modal {
  return sayingModal(summonForm.title, 'The sage is being drafted. It may take a minute.', form);
}

/** Drafts the sage and shows it: in the modal, or where it was asked for if that is closed by then. */
export async function draftSage(
  view: unknown,
  form: SummonForm,
  userId: string,
  { ingress, people, api }: DialogueOptions,
): Promise<void> {
  const { id, state } = viewSchema.parse(view);
  const options = Object.fromEntries(
    summonForm.inputs.map(({ name }) => [name, state.values[name]?.[name]?.value ?? '']),
  );
  const scene = sceneOf(form, userId);
  const show = async (modal: Modal, elsewhere: (answer: PrivateAnswer) => Promise<void>) => {
    const isSeen = await updateModal(api, scene.team, id, modal);
    if (!isSeen) await elsewhere(answerIn(api, scene));
  };
  try {
    const person = await people.personIn(scene);
    const place = placeOfScene(scene);
    const reply = await ingress.command({ place, person, command: summonForm.command, options });
    await show(replyModal(summonForm.title, reply, form), (answer) => answer.show(reply));
  } catch (error) {
    const words = failureWords(error);
    await show(sayingModal(summonForm.title, words, form), (answer) => answer.say(words));
    throw error;
  }
}

function summonModal(scene: ChannelScene): Modal {
  const { workspace: team, channel } = placeOfScene(scene);
  return {
    type: 'modal',
    title: plain(summonForm.title),
    submit: plain('Draft'),
    close: plain('Close'),
    blocks: summonForm.inputs.map(({ name, label, hint, maxChars, isLong }) => ({
      type: 'input',
      block_id: name,
      label: plain(label),
      hint: plain(hint),
      element: {
        type: 'plain_text_input',
        action_id: name,
        max_length: maxChars,
        multiline: isLong,
      },
    })),
    ...carriedForm({ kind: 'summon', team, channel, thread: scene.thread ?? channel }),
  };
}
