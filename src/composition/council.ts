/** The council as the configuration describes it. */

import type { Config } from '../../config/load.ts';
import type { Council } from '../council/council.ts';

export function councilOf({ settings, sages }: Config): Council {
  return {
    ...settings.council,
    bench: sages.map(({ model, ...sage }) => ({ ...sage, source: 'predefined' })),
    limits: settings.limits,
  };
}
