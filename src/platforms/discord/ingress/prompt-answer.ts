/** The first answer to an interaction, which Discord wants within 3 s, however long its work takes. */

import {
  type ChatInputCommandInteraction,
  type InteractionEditReplyOptions,
  type InteractionReplyOptions,
  type MessageContextMenuCommandInteraction,
  MessageFlags,
} from 'discord.js';
import { answerOnce, type FirstAnswer } from './first-answer.ts';

/** What a question can be asked by. */
export type AskingInteraction = ChatInputCommandInteraction | MessageContextMenuCommandInteraction;

/** Leaves half of the time for the way, and for another try where an answer gets lost. */
const putOffAfterMs = 1500;

/** Another delivery of the same interaction has got its answer. */
const givenBefore = undefined;

/**
 * Answers once there is something to say; until then nothing is promised. When that takes too long,
 * Discord is told that an answer is on its way, and shows that to people.
 */
export class PromptAnswer {
  readonly #interaction: AskingInteraction;
  readonly #isPrivate: boolean;
  readonly #timer: NodeJS.Timeout;
  #putOff: Promise<FirstAnswer<unknown>> | undefined;

  /** @param isPrivate - Only the person who asked sees the answer. */
  constructor(interaction: AskingInteraction, isPrivate: boolean) {
    this.#interaction = interaction;
    this.#isPrivate = isPrivate;
    this.#timer = setTimeout(() => {
      const flags = isPrivate ? MessageFlags.Ephemeral : undefined;
      this.#putOff = answerOnce(() => interaction.deferReply(flags === undefined ? {} : { flags }));
      // Whoever gives the answer hears of it.
      this.#putOff.catch(() => undefined);
    }, putOffAfterMs);
  }

  /** There is nothing to be answered, or everything is. */
  end(): void {
    clearTimeout(this.#timer);
  }

  /**
   * Gives the answer that everybody sees.
   *
   * @returns The message's id; nothing when another delivery of the interaction has got one. Throws
   *   what Discord throws, e.g. when the 3 s are over.
   */
  async show(
    message: InteractionReplyOptions & InteractionEditReplyOptions,
  ): Promise<string | undefined> {
    this.end();
    if (this.#putOff) {
      if ((await this.#putOff).status === 'given before') return givenBefore;
      // Through the webhook, because the interaction's own methods want to have heard of the answer.
      return (await this.#interaction.webhook.editMessage('@original', message)).id;
    }
    const given = await answerOnce(() =>
      this.#interaction.reply({ ...message, withResponse: true }),
    );
    switch (given.status) {
      case 'given before':
        return givenBefore;
      case 'unconfirmed':
        return (await this.#interaction.fetchReply()).id;
      case 'given': {
        const id = given.result.resource?.message?.id;
        if (id === undefined) throw new Error('Discord did not tell the id of the answer.');
        return id;
      }
    }
  }

  /** Gives an answer that only the person who asked sees. Throws what Discord throws. */
  async say(content: string): Promise<void> {
    this.end();
    const flags = MessageFlags.Ephemeral;
    const { webhook } = this.#interaction;
    if (!this.#putOff) {
      await answerOnce(() => this.#interaction.reply({ content, flags }));
      return;
    }
    if ((await this.#putOff).status === 'given before') return;
    if (this.#isPrivate) await webhook.editMessage('@original', { content });
    else {
      // What comes first after the promise of an answer would take its place, for everybody to see.
      await webhook.deleteMessage('@original');
      await webhook.send({ content, flags });
    }
  }
}
