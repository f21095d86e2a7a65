/** The council as a model, for programs that speak OpenAI's API, over a model server of the test's. */

import OpenAI from 'openai';
import { keysIn } from '../platforms/web/keys-in.ts';
import { openWebCouncil } from './open-web.ts';
import { startRehearsedModels } from './rehearsed-models.ts';

export async function openV1(...told: Parameters<typeof startRehearsedModels>) {
  const models = await startRehearsedModels(...told);
  const opened = await openWebCouncil(models.settings);
  const keys = keysIn(opened.application.store.settings);
  const baseURL = `${opened.origin}/v1`;
  return { ...opened, models, keys, baseURL, openai: new OpenAI({ baseURL, apiKey: 'none' }) };
}

/** No sage ever answers. */
export const hanging = (name: string) =>
  name.startsWith('sage') ? ({ kind: 'hang' } as const) : undefined;
