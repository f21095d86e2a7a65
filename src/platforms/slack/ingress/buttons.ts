/** Handles buttons on messages, in modals and on the App Home. */

import type { BlockAction } from '@slack/bolt';
import { z } from 'zod';
import { commandBehind } from '../../chat/asking/turn-actions.ts';
import { summonForm } from '../../chat/forms.ts';
import { type Action, type Form, readForm } from '../action-id.ts';
import { type ChannelScene, homeWorkspace, type Scene, sceneOf } from '../place.ts';
import type { PrivateAnswer } from './answers.ts';
import { replyModal, updateModal } from './modals.ts';
import type { IngressContext } from './readers.ts';
import { fillSettings, openSettings } from './settings-dialogue.ts';

/** Bolt's types leave this part of a message or container open. */
const threadSchema = z.object({ thread_ts: z.string().exactOptional() }).prefault({});

/** A button that was pressed, and where. */
export interface Press {
  readonly scene: Scene;
  readonly triggerId: string;
  /** The modal that contains the button. */
  readonly modal?: { readonly id: string; readonly form: Form };
}

/** Reads where a button was pressed. */
export function readPress(body: BlockAction, team: string): Press {
  const { trigger_id: triggerId, user, channel, message, container, view } = body;
  const form = view && readForm(view.private_metadata);
  if (view && form) {
    return { scene: sceneOf(form, user.id), triggerId, modal: { id: view.id, form } };
  }
  const thread = threadSchema.parse(message).thread_ts ?? threadSchema.parse(container).thread_ts;
  const scene: Scene = {
    team,
    userId: user.id,
    ...homeWorkspace(body, team),
    ...(channel ? { channel: channel.id } : {}),
    ...(thread === undefined ? {} : { thread }),
  };
  return { scene, triggerId };
}

/** Carries out a button's action. Throws what Slack and the store throw. */
export async function press(
  action: Action,
  { scene, triggerId, modal }: Press,
  answer: PrivateAnswer,
  askAgain: (action: Extract<Action, { kind: 'again' }>, scene: ChannelScene) => Promise<void>,
  context: IngressContext,
): Promise<void> {
  const { ingress, api, people, readers, commands } = context;
  if (action.kind === 'config') {
    const { scope } = action;
    return modal?.form.kind === 'config'
      ? fillSettings(modal.id, { ...modal.form, scope }, scene.userId, context)
      : openSettings(scene, triggerId, scope, context);
  }
  const { channel } = scene;
  if (channel === undefined) return;
  const here = { ...scene, channel };
  if (action.kind === 'again') return askAgain(action, here);
  const { command, options: given } = commandBehind(action, commands);
  const person = await people.personIn(here);
  const place = await readers.placeOfScene(here);
  const reply = await ingress.command({ place, person, command, options: given });
  const isSeen =
    modal !== undefined &&
    (await updateModal(api, here.team, modal.id, replyModal(summonForm.title, reply, modal.form)));
  if (!isSeen) await answer.show(reply);
}
