/** What a channel of the tests knows, and settings as somebody made them. */

import { settingsOfCouncil } from '../../src/council/channel-council.ts';
import type { ChannelSettings, KnownHere, SettingLayer } from '../../src/council/settings.ts';
import { bench, council } from './scripted-council.ts';

export const file: ChannelSettings = settingsOfCouncil(council, {
  moderatorModel: 'test:chair',
  chairModel: 'test:chair',
  memory: true,
  followUpMode: 'asked',
  questionsPerUserPerHour: 'unlimited',
  channelUsdPerDay: 'unlimited',
});

/** @param changes - What the operator's files say instead. */
export function knownHere(changes: Partial<ChannelSettings> = {}): KnownHere {
  return {
    sages: bench,
    models: ['test:chair', 'test:other-chair'],
    maxSages: 4,
    file: { ...file, ...changes },
  };
}

export const uma = { setBy: 'Uma (u1)', setAt: 1000 };

/** A layer in which Uma has set everything. */
export function layer(values: Readonly<Record<string, unknown>>): SettingLayer {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { value, ...uma }]),
  );
}
