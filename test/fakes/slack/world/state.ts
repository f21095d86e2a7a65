import type { Channel, Installation, Message, User, Workspace } from './records.ts';

/** All that exists. Records are values: a change puts a new one in the place of the old. */
export interface State {
  readonly workspaces: Map<string, Workspace>;
  readonly users: Map<string, User>;
  readonly channels: Map<string, Channel>;
  /** By workspace. */
  readonly installations: Map<string, Installation>;
  /** By channel, then by `ts`, in the order in which they were written. */
  readonly messages: Map<string, Map<string, Message>>;
}

export function emptyState(): State {
  return {
    workspaces: new Map(),
    users: new Map(),
    channels: new Map(),
    installations: new Map(),
    messages: new Map(),
  };
}

export function messagesOf(state: State, channel: string): readonly Message[] {
  return [...(state.messages.get(channel)?.values() ?? [])];
}

export function findMessage(state: State, channel: string, ts: string): Message | undefined {
  return state.messages.get(channel)?.get(ts);
}

/** Puts a message in the place of the one with its `ts`, or at the end. */
export function keepMessage(state: State, message: Message): void {
  const messages = state.messages.get(message.channel) ?? new Map<string, Message>();
  messages.set(message.ts, message);
  state.messages.set(message.channel, messages);
}

/** Throws for an id that the test cannot have got from the fake. */
export function known<Item>(items: ReadonlyMap<string, Item>, id: string): Item {
  const item = items.get(id);
  if (item === undefined) throw new Error(`There is no ${id} in this Slack.`);
  return item;
}
