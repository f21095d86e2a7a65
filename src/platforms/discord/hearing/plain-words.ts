/** What Discord writes as numbers, as people read it: mentions, emoji, times. */

import type { Client, Guild } from 'discord.js';
import { PermissionFlagsBits } from 'discord.js';
import { writtenMention } from '../../chat/text/visible-text.ts';

/** Who or what a number stands for. */
export type Named = 'person' | 'role' | 'channel';
/** @returns Absent where it is not known, or not for everybody. */
export type NameOf = (kind: Named, id: string) => string | undefined;

const token =
  /<(?:@!?(?<person>\d{5,20})|@&(?<role>\d{5,20})|#(?<channel>\d{5,20})|a?:(?<emoji>\w{1,40}):\d{5,20}|t:(?<time>-?\d{1,13})(?::[tTdDfFR])?|\/(?<command>[^<>:]{1,100}):\d{5,20})>/g;

/** Ids of the channels that a text mentions, each once. */
export function channelsIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(token)].flatMap(({ groups }) => groups?.channel ?? []))];
}

/** A text with names in place of numbers; an unknown person is “someone”. */
export function plainWords(text: string, nameOf: NameOf): string {
  return text.replace(token, (...parts) => {
    const { person, role, channel, emoji, time, command } = parts.at(-1);
    if (person) return writtenMention(nameOf('person', person) ?? 'someone');
    if (role) return writtenMention(nameOf('role', role) ?? 'a group');
    if (channel) return `#${nameOf('channel', channel) ?? 'a channel'}`;
    if (emoji) return `:${emoji}:`;
    if (command) return `/${command}`;
    const at = new Date(Number(time) * 1000);
    return Number.isNaN(at.getTime()) ? '' : at.toISOString().slice(0, 16).replace('T', ' ');
  });
}

/** What the gateway's client knows by itself; asks Discord nothing. */
export function namesKnownTo(client: Client, guild: Guild | null, near: NameOf): NameOf {
  return (kind, id) => {
    switch (kind) {
      case 'person':
        return (
          near(kind, id) ??
          guild?.members.cache.get(id)?.displayName ??
          client.users.cache.get(id)?.displayName
        );
      case 'role':
        return near(kind, id) ?? guild?.roles.cache.get(id)?.name;
      case 'channel': {
        const channel = client.channels.cache.get(id);
        if (!channel || !('permissionsFor' in channel)) return undefined;
        // Not everybody who reads the name may know of the channel.
        const everybody = channel.permissionsFor(channel.guild.roles.everyone);
        return everybody?.has(PermissionFlagsBits.ViewChannel) ? channel.name : undefined;
      }
    }
  };
}
