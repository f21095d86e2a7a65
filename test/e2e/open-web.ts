/** The web platform with the whole council behind it, over a model server of the test's, on a free port. */

import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Application, openApplication } from '../../src/app/application.ts';
import { chooseModels } from '../../src/app/open-models.ts';
import { webRecords, webSessionSecret, webShares } from '../../src/app/web-records.ts';
import { silentLog } from '../../src/domain/log.ts';
import { createWeb, type Web, type WebOptions } from '../../src/platforms/web/web.ts';
import { loadConfig } from '../../src/settings/load.ts';
import type { Store } from '../../src/store/store.ts';
import { keysIn } from '../platforms/web/keys-in.ts';
import { temporaryProject } from './temporary-project.ts';

export interface OpenWeb {
  readonly application: Application;
  readonly web: Web;
  readonly origin: string;
}

/** @param settings - They name the model server. @param more - What the web is to be given instead. */
export async function openWebCouncil(
  settings: object,
  more: (store: Store) => Partial<WebOptions> = () => ({}),
): Promise<OpenWeb> {
  const project = temporaryProject({ ...settings, store: { path: 'unused' } });
  const config = loadConfig({ directory: join(project, 'config'), environment: {} });
  const { settings: read } = config;
  const chosenModels = await chooseModels(config, new AbortController().signal);
  let web: Web | undefined;
  const application = await openApplication({
    config: { ...config, settings: { ...read, store: { path: join(project, 'council.db') } } },
    chosenModels,
    log: silentLog,
    mayResume: () => true,
    platforms: async (store) => {
      web = createWeb({
        host: '127.0.0.1',
        port: 0,
        log: silentLog,
        keys: keysIn(store.settings),
        v1: { limits: read.limits, reasoningField: read.web.reasoningField },
        records: webRecords(store),
        shares: webShares(store, Date.now),
        sessionSecret: () => webSessionSecret(store.settings, Date.now),
        ...more(store),
      });
      return [web];
    },
  });
  onTestFinished(async () => {
    await application[Symbol.asyncDispose]();
  });
  await application.bot.start();
  if (!web) throw new Error('The web was not opened.');
  return { application, web, origin: web.address() };
}
