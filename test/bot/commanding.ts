/** Gives commands to a bot, as people with and without permissions, in one place and another. */

import type { Person, Place, Reply, SettingField } from '../../commands/command.ts';
import type { Bot } from '../../src/bot/bot.ts';

export const member: Person = { id: 'u1', name: 'Uma', isManager: false, isServerManager: false };
export const channelManager: Person = { ...member, id: 'm1', name: 'Max', isManager: true };
export const serverManager: Person = {
  ...channelManager,
  id: 's1',
  name: 'Sue',
  isServerManager: true,
};

/** A place of the test's platform. */
export function placeIn(channel: string, workspace = 'w'): Place {
  return {
    platform: 'test',
    workspace,
    channel,
    threadId: `test:${workspace}:${channel}:t`,
  };
}
export const here = placeIn('c');

/** Gives one command. */
export function command(
  bot: Bot,
  name: string,
  options: Readonly<Record<string, unknown>> = {},
  person: Person = member,
  place: Place = here,
): Promise<Reply> {
  return bot.command({ place, person, command: name, options });
}

/** All texts of a reply. */
export function textOf(reply: Reply): string {
  return JSON.stringify(reply.blocks);
}

/** The form of a reply, by the name of the setting. */
export function formOf(reply: Reply): ReadonlyMap<string, SettingField> {
  const fields = reply.blocks.flatMap((block) => (block.type === 'settings' ? block.fields : []));
  return new Map(fields.map((field) => [field.name, field]));
}

/** The command of the choice with this label. */
export function choiceOf(reply: Reply, label: string): string {
  const choices = reply.blocks.flatMap((block) => (block.type === 'choices' ? block.choices : []));
  const choice = choices.find((one) => one.label === label);
  if (!choice) throw new Error(`There is no choice “${label}” in ${textOf(reply)}`);
  return choice.command;
}
