/** The first response to an interaction, for which Discord waits 3 s and of which it accepts exactly one. */

import {
  DiscordAPIError,
  type InteractionEditReplyOptions,
  type InteractionReplyOptions,
  MessageFlags,
  type RepliableInteraction,
} from 'discord.js';
import { briefWaitsMs, untilAnswered } from '../../chat/pacing/back-off.ts';
import { onRefusal } from '../discord-error.ts';
import { asUnanswered } from '../rest/discord-rest.ts';

/**
 * Sends a response, and once more if Discord does not confirm it, so that no one reads of a failure where there was
 * none. Discord refuses the second if the first has arrived: then the result is `undefined`.
 */
export async function respond<Result>(
  interaction: RepliableInteraction,
  send: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof DiscordAPIError) throw error;
    const result = await send().catch(onRefusal(undefined, 'alreadyAcknowledged'));
    // The interaction's methods for what follows don't know about an unconfirmed response.
    interaction.deferred = true;
    return result;
  }
}

/** Shows a reply that only the person sees as pending. Throws what Discord throws. */
export async function deferPrivately(interaction: RepliableInteraction): Promise<void> {
  const pending = { flags: MessageFlags.Ephemeral } as const;
  await respond(interaction, () => interaction.deferReply(pending));
}

/** Replies to the person alone. Throws what Discord throws. */
export async function replyPrivately(
  interaction: RepliableInteraction,
  content: string,
): Promise<void> {
  const reply = { content, flags: MessageFlags.Ephemeral } as const;
  await respond(interaction, () => interaction.reply(reply));
}

/**
 * Shows what came of a command in its deferred response, patiently: people would think that the command itself has
 * failed. Throws what Discord refuses.
 */
export async function showReply(
  interaction: RepliableInteraction,
  message: InteractionEditReplyOptions,
): Promise<void> {
  await untilAnswered(() => interaction.editReply(message).catch(asUnanswered), briefWaitsMs);
}

/** Leaves half of the time for transmission. */
const deferAfterMs = 1500;

/**
 * Responds when there is something to say. If that takes too long, defers the response, which Discord shows
 * as pending.
 */
export class InteractionAnswer {
  readonly #interaction: RepliableInteraction;
  readonly #isPrivate: boolean;
  readonly #timer: NodeJS.Timeout;
  #deferral: Promise<unknown> | undefined;

  /** @param isPrivate - Only the person who asked sees the response. */
  constructor(interaction: RepliableInteraction, isPrivate: boolean) {
    this.#interaction = interaction;
    this.#isPrivate = isPrivate;
    this.#timer = setTimeout(() => {
      this.#deferral = isPrivate
        ? deferPrivately(interaction)
        : respond(interaction, () => interaction.deferReply());
      // The error surfaces when the response is sent.
      this.#deferral.catch(() => undefined);
    }, deferAfterMs);
  }

  /** Cancels the deferral. */
  end(): void {
    clearTimeout(this.#timer);
  }

  /** Sends the response for everyone. Returns the message's id. Throws what Discord throws, e.g. after the 3 s. */
  async show(message: InteractionReplyOptions & InteractionEditReplyOptions): Promise<string> {
    const interaction = this.#interaction;
    this.end();
    if (this.#deferral) {
      await this.#deferral;
      return (await interaction.editReply(message)).id;
    }
    const reply = { ...message, withResponse: true } as const;
    const given = await respond(interaction, () => interaction.reply(reply));
    return given?.resource?.message?.id ?? (await interaction.fetchReply()).id;
  }

  /** Sends a response that only the person who asked sees. Throws what Discord throws. */
  async say(content: string): Promise<void> {
    const interaction = this.#interaction;
    this.end();
    if (!this.#deferral) return replyPrivately(interaction, content);
    await this.#deferral;
    if (this.#isPrivate) await interaction.editReply({ content });
    else {
      // The first follow-up would replace the pending response, visible to everyone.
      await interaction.deleteReply();
      await interaction.followUp({ content, flags: MessageFlags.Ephemeral });
    }
  }
}
