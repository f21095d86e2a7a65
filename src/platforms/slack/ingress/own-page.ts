/** Fills a person's own page of the app when they open it. */

import { z } from 'zod';
import { homeView, suggestedPrompts } from './home.ts';
import { type ChannelScene, placeOfScene } from './scene.ts';
import type { DialogueOptions } from './settings-dialogue.ts';

const openedSchema = z.object({ user: z.string(), channel: z.string(), tab: z.string() });

/** @param event - `app_home_opened`. Throws what Slack and the store throw. */
export async function fillOwnPage(
  event: unknown,
  team: string,
  options: DialogueOptions,
): Promise<void> {
  const { user: userId, channel, tab } = openedSchema.parse(event);
  if (tab === 'messages') return suggest({ team, channel, userId }, options);
  const { ingress, api, people } = options;
  const scene = { team, userId };
  const [overview, person] = await Promise.all([
    ingress.overview(placeOfScene(scene), userId),
    people.personIn(scene),
  ]);
  const view = homeView(overview, person.isServerManager);
  await api.call(team, 'views.publish', { user_id: userId, view });
}

async function suggest(scene: ChannelScene, { ingress, api }: DialogueOptions): Promise<void> {
  const { bench } = await ingress.settings(placeOfScene(scene));
  await api.call(scene.team, 'assistant.threads.setSuggestedPrompts', {
    channel_id: scene.channel,
    title: 'What should the council think about?',
    prompts: suggestedPrompts(bench),
  });
}
