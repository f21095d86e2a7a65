import { Refusal } from '../api/refusal.ts';
import type { Installation, Json, Look } from '../world/records.ts';
import type { World } from '../world/world.ts';

interface ContentArguments {
  readonly text?: string | undefined;
  readonly markdown_text?: string | undefined;
  readonly blocks?: readonly Json[] | undefined;
}

/** What a message is to hold. Throws `no_text` where it would be empty. */
export function contentOf(args: ContentArguments) {
  const { text = '', markdown_text: markdown, blocks = [] } = args;
  if (markdown !== undefined) {
    if (args.text !== undefined || args.blocks !== undefined) {
      throw new Refusal('markdown_text_conflict');
    }
    return { text: markdown, blocks: [{ type: 'markdown', text: markdown }] };
  }
  if (text.trim() === '' && blocks.length === 0) throw new Refusal('no_text');
  return { text, blocks };
}

interface LookArguments {
  readonly username?: string | undefined;
  readonly icon_url?: string | undefined;
  readonly icon_emoji?: string | undefined;
}

/** Under which name the app appears: without the scope its own, whatever it asked for. */
export function lookOf(args: LookArguments, installation: Installation): Look {
  if (!installation.scopes.has('chat:write.customize')) return {};
  return { username: args.username, iconUrl: args.icon_url, iconEmoji: args.icon_emoji };
}

/** The thread that a reply goes to: an answer within a thread is put into that thread. */
export function threadOf(
  { state }: World,
  channel: string,
  threadTs: string | undefined,
): string | undefined {
  if (threadTs === undefined) return undefined;
  const message = state.messages.get(channel)?.get(threadTs);
  if (message === undefined) throw new Refusal('thread_not_found');
  return message.threadTs ?? message.ts;
}
