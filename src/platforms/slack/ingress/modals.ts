/** Opens and builds modals that show text or ask for it. */

import type { types, ViewOutput } from '@slack/bolt';
import { z } from 'zod';
import type { Reply, ReplyBlock } from '../../../../commands/command.ts';
import { firstCharacters, withUtcTimes } from '../../../domain/words.ts';
import type { TextForm } from '../../chat/forms.ts';
import { briefWaitsMs } from '../../chat/pacing/back-off.ts';
import { splitMarkdown } from '../../chat/text/split-markdown.ts';
import { visibleText } from '../../chat/text/visible-text.ts';
import { encodeForm, type Form } from '../action-id.ts';
import { withRetries } from '../api/patience.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { type Block, button, buttonRow, plain } from '../presenter/blocks.ts';
import { isRefusal } from '../slack-error.ts';

export type Modal = types.ModalView;

/** Slack's limits; the number of blocks leaves room for buttons. */
const maxBlocks = 90;
const longest = { title: 24, section: 2900 } as const;

const openedSchema = z.object({ view: z.object({ id: z.string() }) });

/**
 * Opens a modal. Slack allows 3 s after the person's action, so if anything has to be looked up first,
 * open one that asks to wait.
 *
 * @returns Its id, for {@link updateModal}.
 */
export async function openModal(
  api: SlackApi,
  team: string,
  triggerId: string,
  view: Modal,
): Promise<string> {
  const opened = await api.call(team, 'views.open', { trigger_id: triggerId, view });
  return openedSchema.parse(opened).view.id;
}

/** @returns `false` if the person has closed the modal. Throws what Slack throws. */
export async function updateModal(
  api: SlackApi,
  team: string,
  viewId: string,
  view: Modal,
): Promise<boolean> {
  try {
    // Patiently: it may show what was paid for, and takes the place of “Saving…”.
    await withRetries(api, briefWaitsMs).call(team, 'views.update', { view_id: viewId, view });
    return true;
  } catch (error) {
    if (!isRefusal(error, 'not_found', 'view_not_found')) throw error;
    return false;
  }
}

/** A modal with text inputs. */
export function typingModal({ title, submit, inputs }: TextForm, form: Form): Modal {
  return {
    type: 'modal',
    title: plain(title),
    submit: plain(submit),
    close: plain('Close'),
    blocks: inputs.map(({ name, label, hint, maxChars, isLong, isOptional = false }) => ({
      type: 'input',
      block_id: name,
      optional: isOptional,
      label: plain(label),
      hint: plain(hint),
      element: {
        type: 'plain_text_input',
        action_id: name,
        max_length: maxChars,
        multiline: isLong === true,
      },
    })),
    ...encodeForm(form),
  };
}

/** Reads the texts typed into such a modal, by input name. */
export function typedIn({ state }: Pick<ViewOutput, 'state'>): Readonly<Record<string, string>> {
  const inputs = Object.values(state.values).flatMap((input) => Object.entries(input));
  return Object.fromEntries(inputs.map(([name, { value }]) => [name, value ?? '']));
}

/** A modal that only shows text. */
export function sayingModal(title: string, text: string, form: Form): Modal {
  return modalOf(title, sections(text), form);
}

/** A modal with a command's reply; choices become buttons. */
export function replyModal(title: string, { blocks }: Reply, form: Form): Modal {
  return modalOf(title, blocks.flatMap(partsOf), form);
}

function partsOf(block: ReplyBlock): readonly Block[] {
  switch (block.type) {
    case 'text':
      return sections(block.text);
    case 'fields':
      return block.fields.flatMap(({ name, value }) => sections(`${name}: ${value}`));
    case 'choices':
      return buttonRow(choiceButtons(block));
    case 'table':
    case 'settings':
    case 'file':
    case 'stream':
      return [];
  }
}

/** The first choice is highlighted: most people want it. */
export function choiceButtons({ choices }: Extract<ReplyBlock, { type: 'choices' }>) {
  return choices.map(({ label, command }, index) =>
    button(label, { kind: 'run', command }, index === 0 ? 'primary' : undefined),
  );
}

function modalOf(title: string, blocks: readonly Block[], form: Form): Modal {
  return {
    type: 'modal',
    title: plain(firstCharacters(title, longest.title)),
    close: plain('Close'),
    blocks: blocks.slice(0, maxBlocks),
    ...encodeForm(form),
  };
}

/** Plain text without any markup, with times in UTC, in pieces that fit into a section. */
export function sections(text: string): readonly Block[] {
  return splitMarkdown(visibleText(withUtcTimes(text)), longest.section).map((piece) => ({
    type: 'section',
    text: plain(piece),
  }));
}
