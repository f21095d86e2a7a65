/** The council of one channel: the operator's, as that channel is set. */

import type { ChannelSettings } from '../settings/channel-table.ts';
import type { Council } from './council.ts';
import { type CustomSage, seatable } from './custom-sage.ts';

/** Everybody who could sit in a channel, whatever its bench is set to. */
export function allSages(council: Council, customSages: readonly CustomSage[]): Council['bench'] {
  return [...council.bench, ...customSages.map(seatable)];
}

/**
 * @param council - As the operator's files say.
 * @param settings - What holds in the channel.
 * @returns A council whose fallback sage sits on its bench: where the bench leaves the operator's
 *   out, it is the first of those who are on it.
 */
export function councilOfChannel(
  council: Council,
  settings: ChannelSettings,
  customSages: readonly CustomSage[],
): Council {
  const { language: _, ...base } = council;
  const everybody = allSages(council, customSages);
  const mayKeys = settings.bench === 'all' ? undefined : new Set(settings.bench);
  const bench = everybody.filter(({ key }) => mayKeys?.has(key) ?? true);
  const fallback = bench.find(({ key }) => key === council.fallbackSage) ?? bench[0];
  return {
    ...base,
    bench,
    seats: settings.seats,
    depth: settings.depth,
    maxDynamicSages: settings.maxDynamicSages,
    fallbackSage: fallback?.key ?? council.fallbackSage,
    ...(settings.language === 'auto' ? {} : { language: settings.language }),
  };
}
