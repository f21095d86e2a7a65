import { z } from 'zod';

/** What a message holds, as far as the program knows messages. */
export interface Content {
  readonly text: string;
  readonly blocks: readonly unknown[];
}

const posted = z.object({ ok: z.literal(true), ts: z.string() });
const ephemeral = z.object({ ok: z.literal(true), message_ts: z.string() });
const said = z.object({ ok: z.literal(true), message: z.object({ ts: z.string() }) });
const opened = z.object({ ok: z.literal(true), channel: z.object({ id: z.string() }) });
const listed = z.object({
  ok: z.literal(true),
  messages: z.array(z.looseObject({ ts: z.string(), subtype: z.string().optional() })),
});

export type Store = ReturnType<typeof storeOf>;
export type StoredMessage = z.infer<typeof listed>['messages'][number];

/**
 * The program as a store of channels and messages. It takes any token and checks next to nothing:
 * whoever calls has checked.
 */
export function storeOf(origin: string) {
  const send = async <Answer>(path: string, body: object, answer: z.ZodType<Answer>) => {
    const response = await fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    const parsed = answer.safeParse(JSON.parse(text));
    if (!parsed.success) throw new Error(`local-slack answered ${path} with ${text}`);
    return parsed.data;
  };
  const call = <Answer>(method: string, body: object, answer: z.ZodType<Answer>) =>
    send(`/api/${method}`, body, answer);

  return {
    origin,

    /** The bot writes. Gives the message's `ts`. */
    post: async (channel: string, threadTs: string | undefined, content: Content) =>
      (await call('chat.postMessage', { channel, thread_ts: threadTs, ...content }, posted)).ts,

    /** The bot writes what only one person sees. */
    whisper: async (
      channel: string,
      user: string,
      threadTs: string | undefined,
      content: Content,
    ) => {
      const body = { channel, user, thread_ts: threadTs, ...content };
      return (await call('chat.postEphemeral', body, ephemeral)).message_ts;
    },

    /** Somebody writes. */
    say: async (channel: string, user: string, threadTs: string | undefined, text: string) =>
      (await send('/_control/message', { channel, user, text, thread_ts: threadTs }, said)).message
        .ts,

    revise: (channel: string, ts: string, content: Content) =>
      call('chat.update', { channel, ts, ...content }, posted),

    remove: (channel: string, ts: string) => call('chat.delete', { channel, ts }, posted),

    createChannel: async (name: string, isPrivate: boolean) =>
      (await call('conversations.create', { name, is_private: isPrivate }, opened)).channel.id,

    /** The conversation of a person with the bot. */
    openDirect: async (user: string) =>
      (await call('conversations.open', { users: user }, opened)).channel.id,

    /** A thread, oldest first, its first message included. */
    replies: async (channel: string, ts: string) =>
      (await call('conversations.replies', { channel, ts }, listed)).messages,

    /** A channel's own messages without those inside threads, newest first. */
    history: async (channel: string) =>
      (await call('conversations.history', { channel }, listed)).messages,
  };
}
