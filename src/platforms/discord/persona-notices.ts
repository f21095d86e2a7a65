const notice =
  'I lack the permission **Manage Webhooks** in this channel, so the sages can’t speak under their own names and pictures. You can grant it in the channel’s settings.';

/** Which channels lack webhooks, and whether somebody who manages them was told. */
export class PersonaNotices {
  readonly #channels = new Map<string, 'to tell' | 'told'>();

  /** Sages had to speak through the bot in this channel. */
  missing(channelId: string): void {
    if (!this.#channels.has(channelId)) this.#channels.set(channelId, 'to tell');
  }

  /** What somebody who manages the channel is to be told; once. */
  take(channelId: string): string | undefined {
    if (this.#channels.get(channelId) !== 'to tell') return undefined;
    this.#channels.set(channelId, 'told');
    return notice;
  }
}
