/** The first response to an interaction: Discord accepts exactly one, and its confirmation may get lost. */

import {
  type ChatInputCommandInteraction,
  DiscordAPIError,
  type InteractionEditReplyOptions,
  type InteractionReplyOptions,
  type MessageContextMenuCommandInteraction,
  MessageFlags,
  type ModalSubmitInteraction,
} from 'discord.js';

/** Discord's error code for an interaction that already has a response. */
const alreadyAcknowledged = 40060;
/** Discord waits 3 s for the response, which leaves no time to pause between tries. */
const maxTries = 3;

/** The result of responding. */
type FirstAnswer<Result> =
  | { readonly status: 'given'; readonly result: Result }
  /** The response arrived, but Discord's confirmation got lost. */
  | { readonly status: 'unconfirmed' }
  /** The interaction was delivered twice and already had a response. */
  | { readonly status: 'given before' };

/**
 * Sends the first response, and again if nothing comes back.
 *
 * @param answer - Called up to three times.
 * @throws What `answer` throws if Discord refuses it or can't be reached.
 */
export async function answerOnce<Result>(
  answer: () => Promise<Result>,
): Promise<FirstAnswer<Result>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return { status: 'given', result: await answer() };
    } catch (error) {
      if (isAnsweredAlready(error)) {
        return { status: attempt === 1 ? 'given before' : 'unconfirmed' };
      }
      if (error instanceof DiscordAPIError || attempt === maxTries) throw error;
    }
  }
}

/** Whether Discord refused a response because there is one already. */
export function isAnsweredAlready(error: unknown): boolean {
  return error instanceof DiscordAPIError && error.code === alreadyAcknowledged;
}

/** The interactions that can ask a question. */
export type AskingInteraction =
  | ChatInputCommandInteraction
  | MessageContextMenuCommandInteraction
  | ModalSubmitInteraction;

/** Leaves half of the time for transmission, and for a retry if the response gets lost. */
const deferAfterMs = 1500;

/**
 * Responds when there is something to say. If that takes too long, defers the response, which Discord shows
 * as pending.
 */
export class InteractionAnswer {
  readonly #interaction: AskingInteraction;
  readonly #isPrivate: boolean;
  readonly #timer: NodeJS.Timeout;
  #deferral: Promise<FirstAnswer<unknown>> | undefined;

  /** @param isPrivate - Only the person who asked sees the response. */
  constructor(interaction: AskingInteraction, isPrivate: boolean) {
    this.#interaction = interaction;
    this.#isPrivate = isPrivate;
    this.#timer = setTimeout(() => {
      const flags = isPrivate ? MessageFlags.Ephemeral : undefined;
      this.#deferral = answerOnce(() =>
        interaction.deferReply(flags === undefined ? {} : { flags }),
      );
      // The error surfaces when the response is sent.
      this.#deferral.catch(() => undefined);
    }, deferAfterMs);
  }

  /** Cancels the deferral. */
  end(): void {
    clearTimeout(this.#timer);
  }

  /**
   * Sends the response for everyone.
   *
   * @returns The message's id; `undefined` if another delivery of the interaction was answered. Throws what
   *   Discord throws, e.g. when the 3 s are over.
   */
  async show(
    message: InteractionReplyOptions & InteractionEditReplyOptions,
  ): Promise<string | undefined> {
    this.end();
    if (this.#deferral) {
      if ((await this.#deferral).status === 'given before') return undefined;
      // Through the webhook, because the interaction's own methods don't know about an unconfirmed deferral.
      return (await this.#interaction.webhook.editMessage('@original', message)).id;
    }
    const given = await answerOnce(() =>
      this.#interaction.reply({ ...message, withResponse: true }),
    );
    switch (given.status) {
      case 'given before':
        return undefined;
      case 'unconfirmed':
        return (await this.#interaction.fetchReply()).id;
      case 'given': {
        const id = given.result.resource?.message?.id;
        if (id === undefined)
          throw new Error('Discord’s confirmation lacks the id of the response.');
        return id;
      }
    }
  }

  /** Sends a response that only the person who asked sees. Throws what Discord throws. */
  async say(content: string): Promise<void> {
    this.end();
    const flags = MessageFlags.Ephemeral;
    const { webhook } = this.#interaction;
    if (!this.#deferral) {
      await answerOnce(() => this.#interaction.reply({ content, flags }));
      return;
    }
    if ((await this.#deferral).status === 'given before') return;
    if (this.#isPrivate) await webhook.editMessage('@original', { content });
    else {
      // The first follow-up would replace the pending response, visible to everyone.
      await webhook.deleteMessage('@original');
      await webhook.send({ content, flags });
    }
  }
}
