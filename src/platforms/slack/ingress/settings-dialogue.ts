/** Opens, fills and saves the settings modal of `/council config` and its buttons. */

import type { AckFn, ViewOutput, ViewResponseAction } from '@slack/bolt';
import type { Reply, SettingScope } from '../../../../commands/command.ts';
import { within } from '../../../waiting.ts';
import { formIn } from '../../chat/forms.ts';
import type { Form } from '../action-id.ts';
import { placeOf, type Scene, spotOfScene } from '../place.ts';
import { failureWords } from '../slack-error.ts';
import { type Modal, openModal, sayingModal, updateModal } from './modals.ts';
import type { IngressContext } from './readers.ts';
import { inputId, settingsModal, submittedChanges } from './settings-modal.ts';

type ConfigForm = Extract<Form, { kind: 'config' }>;

const title = 'Council settings';
/** A slower answer replaces “Saving…” later; Slack allows 3 s. */
const answeredWithinMs = 2000;

/** Opens the modal at once and fills it when the settings are loaded. Throws what Slack and the store throw. */
export async function openSettings(
  scene: Scene,
  triggerId: string,
  scope: SettingScope,
  context: IngressContext,
): Promise<void> {
  const form: ConfigForm = { kind: 'config', ...spotOfScene(scene), scope };
  const waiting = sayingModal(title, 'Loading the settings…', form);
  const viewId = await openModal(context.api, scene.team, triggerId, waiting);
  await fillSettings(viewId, form, scene.userId, context);
}

/** Shows the settings of the form's scope in an open modal, or why that failed; throws that if the modal is closed. */
export async function fillSettings(
  viewId: string,
  form: ConfigForm,
  userId: string,
  context: IngressContext,
): Promise<void> {
  const show = (view: Modal) => updateModal(context.api, form.team, viewId, view);
  try {
    const reply = await config(form, userId, {}, context);
    const block = formIn(reply);
    const said = textOf(reply);
    await show(block ? settingsModal(form, block, said) : sayingModal(title, said, form));
  } catch (error) {
    // Otherwise the open modal would say “Loading” for ever.
    const isSeen = await show(sayingModal(title, failureWords(error), form));
    if (!isSeen) throw error;
    context.log.error({ what: 'settings', error }, 'a Slack event could not be handled');
  }
}

/** Saves the inputs that the person changed, or shows a problem at each bad one. Throws what Slack and the store throw. */
export async function submitSettings(
  view: ViewOutput,
  form: ConfigForm,
  userId: string,
  ack: AckFn<ViewResponseAction>,
  context: IngressContext,
): Promise<void> {
  const saving = save(view, form, userId, context).catch((error: unknown) => ({
    errors: {},
    view: sayingModal(title, failureWords(error), form),
    error,
  }));
  const submitted = await within(saving, { ms: answeredWithinMs });
  if (submitted === undefined) {
    await ack({ response_action: 'update', view: sayingModal(title, 'Saving…', form) });
    await updateModal(context.api, form.team, view.id, (await saving).view);
  } else if (Object.keys(submitted.errors).length > 0) {
    await ack({ response_action: 'errors', errors: submitted.errors });
  } else await ack({ response_action: 'update', view: submitted.view });
  const done = await saving;
  if ('error' in done) throw done.error;
}

/** @returns Problems by input id, if any; and a modal that shows what was changed, or why nothing was. */
async function save(
  view: ViewOutput,
  form: ConfigForm,
  userId: string,
  context: IngressContext,
): Promise<{ readonly errors: Record<string, string>; readonly view: Modal }> {
  const { scope } = form;
  const changes = submittedChanges(view, scope);
  const reply = await config(form, userId, { changes }, context);
  const errors = Object.fromEntries(
    (formIn(reply)?.fields ?? []).flatMap(({ name, problem }) =>
      problem === undefined || !Object.hasOwn(changes, name)
        ? []
        : [[inputId(scope, name), problem]],
    ),
  );
  return { errors, view: sayingModal(title, textOf(reply), form) };
}

async function config(
  { team, channel, thread, scope }: ConfigForm,
  userId: string,
  options: Readonly<Record<string, unknown>>,
  { ingress, people }: IngressContext,
): Promise<Reply> {
  const where = channel === team ? {} : { channel };
  const person = await people.personIn({ team, userId, ...where });
  const place = placeOf({ team, channel, thread });
  return ingress.command({ place, person, command: 'config', options: { scope, ...options } });
}

function textOf({ blocks }: Reply): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n');
}
