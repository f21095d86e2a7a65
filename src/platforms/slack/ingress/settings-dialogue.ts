/** What people do with the settings that `/council config` and their buttons open. */

import type { Reply, SettingScope } from '../../../../commands/command.ts';
import { within } from '../../../waiting.ts';
import { formIn } from '../../chat/forms/settings-form.ts';
import type { Ingress } from '../../platform.ts';
import type { Form } from '../action-id.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { placeOf } from '../thread-id.ts';
import { failureWords } from './answers.ts';
import { type Modal, openModal, sayingModal, updateModal } from './modals.ts';
import { type People, withDoubt } from './people.ts';
import type { Readers } from './readers.ts';
import { placeOfScene, type Scene } from './scene.ts';
import { inputId, settingsModal, submittedChanges } from './settings-modal.ts';

type ConfigForm = Extract<Form, { kind: 'config' }>;

/** What became of a submitted modal. */
interface Submitted {
  /** By the ids of the inputs that were refused; then nothing was changed. */
  readonly errors: Record<string, string>;
  /** Says what was changed, or why nothing was. */
  readonly view: Modal;
}

export interface DialogueOptions {
  readonly ingress: Ingress;
  readonly api: SlackApi;
  readonly people: People;
  readonly readers: Readers;
}

/** Answers a submitted modal; Slack takes it within 3 s. */
type AckForm = (
  answer:
    | { readonly response_action: 'errors'; readonly errors: Record<string, string> }
    | { readonly response_action: 'update'; readonly view: Modal },
) => Promise<void>;

const title = 'Council settings';
/** What takes longer is shown when it is there. */
const answeredWithinMs = 2000;

export class SettingsDialogue {
  readonly #options: DialogueOptions;

  constructor(options: DialogueOptions) {
    this.#options = options;
  }

  /** Opens the modal at once, and fills it when it is known what holds. Throws what Slack and the store throw. */
  async open(scene: Scene, triggerId: string, scope: SettingScope): Promise<void> {
    const { api } = this.#options;
    const form = formOf(scene, scope);
    const waiting = sayingModal(title, 'Loading the settings…', form);
    const viewId = await openModal(api, scene.team, triggerId, waiting);
    await this.#fill(viewId, form, scene.userId);
  }

  /** Shows what holds in the other scope, in the modal that is open. */
  async turnTo(viewId: string, form: ConfigForm, scope: SettingScope, userId: string) {
    await this.#fill(viewId, { ...form, scope }, userId);
  }

  /**
   * Changes what the person did not leave as it was shown, and says at each input what is wrong with it.
   * Throws what Slack and the store throw.
   *
   * @param view - As Slack submits it.
   */
  async submit(
    view: { readonly id: string },
    form: ConfigForm,
    userId: string,
    ack: AckForm,
  ): Promise<void> {
    const saving = this.#save(view, form, userId).catch((error: unknown) => ({
      errors: {},
      view: sayingModal(title, failureWords(error), form),
      error,
    }));
    const submitted = await within(saving, { ms: answeredWithinMs });
    if (submitted === undefined) {
      await ack({ response_action: 'update', view: sayingModal(title, 'Saving…', form) });
      await updateModal(this.#options.api, form.team, view.id, (await saving).view);
    } else if (Object.keys(submitted.errors).length > 0) {
      await ack({ response_action: 'errors', errors: submitted.errors });
    } else await ack({ response_action: 'update', view: submitted.view });
    const done = await saving;
    if ('error' in done) throw done.error;
  }

  async #save(view: unknown, form: ConfigForm, userId: string): Promise<Submitted> {
    const { scope } = form;
    const changes = submittedChanges(view, scope);
    const reply = await this.#config(form, userId, { scope, changes });
    const errors = Object.fromEntries(
      (formIn(reply)?.fields ?? []).flatMap(({ name, problem }) =>
        problem === undefined || !Object.hasOwn(changes, name)
          ? []
          : [[inputId(scope, name), problem]],
      ),
    );
    return { errors, view: sayingModal(title, textOf(reply), form) };
  }

  async #fill(viewId: string, form: ConfigForm, userId: string): Promise<void> {
    const { api } = this.#options;
    try {
      const reply = await this.#config(form, userId, { scope: form.scope });
      const block = formIn(reply);
      const view = block
        ? settingsModal(form, block, textOf(reply))
        : sayingModal(title, textOf(reply), form);
      await updateModal(api, form.team, viewId, view);
    } catch (error) {
      // The open modal would say “Looking up” for ever.
      await updateModal(api, form.team, viewId, sayingModal(title, failureWords(error), form));
      throw error;
    }
  }

  async #config(
    { team, channel, thread }: ConfigForm,
    userId: string,
    options: Readonly<Record<string, unknown>>,
  ): Promise<Reply> {
    const { ingress, people } = this.#options;
    const where = channel === team ? {} : { channel };
    const person = await people.personIn({ team, userId, ...where });
    const place = placeOf({ team, channel, thread });
    return withDoubt(await ingress.command({ place, person, command: 'config', options }), person);
  }
}

function formOf(scene: Scene, scope: SettingScope): ConfigForm {
  const { workspace: team, channel } = placeOfScene(scene);
  return { kind: 'config', team, channel, thread: scene.thread ?? channel, scope };
}

function textOf({ blocks }: Reply): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n');
}
