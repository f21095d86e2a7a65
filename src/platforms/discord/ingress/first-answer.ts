/** The first answer to an interaction: Discord takes exactly one, and its word on that can get lost. */

import {
  type ChatInputCommandInteraction,
  DiscordAPIError,
  type InteractionEditReplyOptions,
  type InteractionReplyOptions,
  type MessageContextMenuCommandInteraction,
  MessageFlags,
  type ModalSubmitInteraction,
} from 'discord.js';

/** Discord's code for an interaction that has its first answer. */
const alreadyAcknowledged = 40060;
/** Discord waits 3 s for the answer, so there is no time to wait between two tries. */
const mostTries = 3;

/** What became of an answer. */
type FirstAnswer<Result> =
  | { readonly status: 'given'; readonly result: Result }
  /** It is there, but what Discord said to it is lost. */
  | { readonly status: 'unconfirmed' }
  /** There was one before: the same interaction was delivered twice. */
  | { readonly status: 'given before' };

/**
 * Gives the first answer, again when nothing comes back.
 *
 * @param answer - Called up to three times.
 * @throws What `answer` throws, when Discord refuses it or can't be reached.
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
      if (error instanceof DiscordAPIError || attempt === mostTries) throw error;
    }
  }
}

/** Whether Discord refuses an answer because there is one. */
export function isAnsweredAlready(error: unknown): boolean {
  return error instanceof DiscordAPIError && error.code === alreadyAcknowledged;
}

/** What a question can be asked by. */
export type AskingInteraction =
  | ChatInputCommandInteraction
  | MessageContextMenuCommandInteraction
  | ModalSubmitInteraction;

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
      // The error surfaces when the answer is given.
      this.#putOff.catch(() => undefined);
    }, putOffAfterMs);
  }

  /** Nothing is left to answer. */
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
