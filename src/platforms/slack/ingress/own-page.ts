/** Fills a person's own page of the app when they open it. */

import { z } from 'zod';
import { homeView, suggestedPrompts } from './home.ts';
import { type ChannelScene, placeOfScene } from './scene.ts';
import type { DialogueOptions } from './settings-dialogue.ts';

const openedSchema = z.object({ user: z.string(), channel: z.string(), tab: z.string() });
const startedSchema = z.object({
  assistant_thread: z.object({
    channel_id: z.string(),
    thread_ts: z.string(),
    user_id: z.string(),
  }),
});

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

/** @param event - `assistant_thread_started`, which Slack sends to apps of an older kind. */
export async function fillPane(
  event: unknown,
  team: string,
  options: DialogueOptions,
): Promise<void> {
  const { assistant_thread: started } = startedSchema.parse(event);
  const { channel_id: channel, thread_ts: thread, user_id: userId } = started;
  await suggest({ team, channel, thread, userId }, options);
}

async function suggest(scene: ChannelScene, { ingress, api }: DialogueOptions): Promise<void> {
  const { bench } = await ingress.settings(placeOfScene(scene));
  await api.call(scene.team, 'assistant.threads.setSuggestedPrompts', {
    channel_id: scene.channel,
    thread_ts: scene.thread,
    title: 'What should the council think about?',
    prompts: suggestedPrompts(bench),
  });
}
