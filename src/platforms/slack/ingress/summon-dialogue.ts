/** How a member makes a sage: described in a modal, read in it, and saved or let go. */

import type { types } from '@slack/bolt';
import { z } from 'zod';
import { carriedForm, type Form } from '../action-id.ts';
import { answerIn, failureWords, type PrivateAnswer } from './answers.ts';
import { type Modal, openModal, plain, replyModal, sayingModal, updateModal } from './modals.ts';
import { type ChannelScene, placeOfScene } from './scene.ts';
import type { DialogueOptions } from './settings-dialogue.ts';

type SummonForm = Extract<Form, { kind: 'summon' }>;

export const summonTitle = 'A sage for this channel';
const longest = { name: 80, description: 1000 } as const;

const typed = z.object({ value: z.string().nullish() });
const viewSchema = z.object({
  id: z.string(),
  state: z.object({
    values: z.object({
      name: z.object({ name: typed }),
      description: z.object({ description: typed }),
    }),
  }),
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
  return sayingModal(summonTitle, 'The sage is being drafted. It may take a minute.', form);
}

/** Drafts the sage and shows it: in the modal, or where it was asked for if that is closed by then. */
export async function draftSage(
  view: unknown,
  form: SummonForm,
  userId: string,
  { ingress, people, api }: DialogueOptions,
): Promise<void> {
  const { id, state } = viewSchema.parse(view);
  const options = {
    name: state.values.name.name.value ?? '',
    description: state.values.description.description.value ?? '',
  };
  const scene = sceneOf(form, userId);
  const show = async (modal: Modal, elsewhere: (answer: PrivateAnswer) => Promise<void>) => {
    const isSeen = await updateModal(api, scene.team, id, modal);
    if (!isSeen) await elsewhere(answerIn(api, scene));
  };
  try {
    const person = await people.personIn(scene);
    const place = placeOfScene(scene);
    const reply = await ingress.command({ place, person, command: 'summon', options });
    await show(replyModal(summonTitle, reply, form), (answer) => answer.show(reply));
  } catch (error) {
    const words = failureWords(error);
    await show(sayingModal(summonTitle, words, form), (answer) => answer.say(words));
    throw error;
  }
}

/** Where a modal was opened. */
export function sceneOf({ team, channel, thread }: Form, userId: string): ChannelScene {
  return { team, channel, userId, ...(thread === channel ? {} : { thread }) };
}

function summonModal(scene: ChannelScene): Modal {
  const { workspace: team, channel } = placeOfScene(scene);
  return {
    type: 'modal',
    title: plain(summonTitle),
    submit: plain('Draft'),
    close: plain('Close'),
    blocks: [
      input('name', 'Name', 'Nobody else’s on this bench', false),
      input(
        'description',
        'Description',
        'Who it is and what it is for, in a sentence or two',
        true,
      ),
    ],
    ...carriedForm({ kind: 'summon', team, channel, thread: scene.thread ?? channel }),
  };
}

function input(
  name: keyof typeof longest,
  label: string,
  hint: string,
  multiline: boolean,
): types.InputBlock {
  return {
    type: 'input',
    block_id: name,
    label: plain(label),
    hint: plain(hint),
    element: { type: 'plain_text_input', action_id: name, max_length: longest[name], multiline },
  };
}
