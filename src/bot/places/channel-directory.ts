/** In which channels of a workspace something was set or a sage was made: so that all of it goes when the workspace does. */

import type { SettingsStore } from '../../store/store.ts';
import { type Channel, settingScopesOf } from './channels.ts';

/** Called before what it is to lead to is written. */
export async function noteChannel(
  settings: SettingsStore,
  { scopes }: Pick<Channel, 'scopes'>,
  setAt: number,
): Promise<void> {
  const by = { setBy: 'directory', setAt };
  await settings.write(directoryOf(scopes), { [scopes.channel]: true }, by);
}

/** @returns Names of the channels' scopes. */
export async function notedChannels(
  settings: SettingsStore,
  scopes: Channel['scopes'],
): Promise<readonly string[]> {
  const [noted = {}] = await settings.read([directoryOf(scopes)]);
  return Object.keys(noted);
}

/** Name of the store's scope that holds them. */
export function directoryOf({ server }: Pick<Channel['scopes'], 'server'>): string {
  return `channels:${server}`;
}

/** Scopes of a workspace (`platform:workspace`), and of a channel that there is not. */
export function scopesOfWorkspace(workspace: string): Channel['scopes'] {
  return settingScopesOf(`${workspace}::`);
}
