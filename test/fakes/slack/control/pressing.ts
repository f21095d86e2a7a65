import type { Interaction } from '../delivery/interact.ts';
import type { Channel, Json, Message, User } from '../world/records.ts';
import { newResponseUrl } from '../world/response-urls.ts';
import { findMessage, known } from '../world/state.ts';
import { viewWire } from '../world/view-wire.ts';
import { modalsOf, type View } from '../world/views.ts';
import type { World } from '../world/world.ts';
import { type Control, findControl } from './elements.ts';
import { type FieldValue, fieldState } from './field-values.ts';
import type { Forms } from './forms.ts';
import { actionTs, channelWire, interactionBase, pressedMessage } from './payloads.ts';

/** Where a person presses something: a message that was seen, the topmost modal, the Home tab. */
export type Surface = { readonly channel: Channel; readonly ts: string } | 'modal' | 'home';

export interface Pressing {
  /** Presses a button, found by its `action_id` or the text on it. */
  presses(where: Surface, what: string): Promise<Interaction>;
  /** Chooses from a menu, by value or by the option's text; the app is told at once. */
  chooses(where: Surface, what: string, value: FieldValue): Promise<Interaction>;
}

export function pressing(world: World, user: User, forms: Forms): Pressing {
  const act = async (where: Surface, what: string, value: FieldValue | undefined) => {
    const scene = sceneOf(world, user, where, forms);
    const control = findControl(scene.blocks, what);
    const action = {
      type: control.element.type,
      block_id: control.blockId,
      action_id: control.element.action_id,
      action_ts: actionTs(world),
      ...actionParts(control, what, value, forms),
    };
    if (scene.view !== undefined && value !== undefined) forms.fill(scene.view, what, value);
    return world.interact('interactive', {
      type: 'block_actions',
      ...interactionBase(world, user),
      trigger_id: world.triggers.pull(user, where === 'modal'),
      actions: [action],
      ...scene.payload(),
    });
  };
  return {
    presses: (where, what) => act(where, what, undefined),
    chooses: (where, what, value) => act(where, what, value),
  };
}

/** Of feedback buttons, the one with the text that was pressed. */
function actionParts(
  control: Control,
  what: string,
  value: FieldValue | undefined,
  forms: Forms,
): Json {
  const { type, text, value: own, positive_button: yes, negative_button: no } = control.element;
  if (type === 'feedback_buttons') {
    const pressed = [yes, no].find((one) => one?.text.text === what || one?.value === what);
    if (pressed === undefined) throw new Error(`Name the button: ${yes?.value} or ${no?.value}.`);
    return { value: pressed.value, text: pressed.text };
  }
  if (type === 'button' || type === 'icon_button') return { text, value: own };
  return fieldState(control, value, forms.offered);
}

interface Scene {
  readonly blocks: readonly Json[];
  readonly view?: View;
  payload(): Json;
}

function sceneOf(world: World, user: User, where: Surface, forms: Forms): Scene {
  if (where === 'modal' || where === 'home') {
    const view =
      where === 'home' ? world.views.homes.get(user.id) : modalsOf(world.views, user.id).at(-1);
    if (view === undefined) throw new Error(`${user.realName} has no ${where} open.`);
    const wire = () => viewWire(world, view, forms.values(view));
    const container = { type: 'view', view_id: view.id };
    return {
      blocks: view.blocks,
      view,
      payload: () => ({ container, view: wire(), state: wire().state }),
    };
  }
  const message = findMessage(world.state, where.channel.id, where.ts);
  if (message === undefined) throw new Error(`There is no message ${where.ts} any more.`);
  if (message.ephemeralFor !== undefined && message.ephemeralFor !== user.id) {
    throw new Error(`${user.realName} does not see ${where.ts}.`);
  }
  return { blocks: message.blocks, payload: () => messageScene(world, user, message) };
}

function messageScene(world: World, user: User, message: Message): Json {
  const channel = known(world.state.channels, message.channel);
  const isEphemeral = message.ephemeralFor !== undefined;
  const { ts, threadTs } = message;
  return {
    container: {
      type: 'message',
      message_ts: ts,
      channel_id: channel.id,
      is_ephemeral: isEphemeral,
      ...(threadTs !== undefined && { thread_ts: threadTs }),
    },
    channel: channelWire(channel),
    // Of an ephemeral message Slack tells where it is and not what it says.
    ...(!isEphemeral && { message: pressedMessage(world, message) }),
    state: { values: {} },
    response_url: newResponseUrl(world, { user, channel, messageTs: ts, threadTs }),
  };
}
