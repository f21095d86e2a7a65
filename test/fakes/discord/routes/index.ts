import type { Route } from '../rest/route.ts';
import { applicationRoutes } from './applications.ts';
import { callbackRoutes } from './callbacks.ts';
import { channelRoutes } from './channels.ts';
import { emojiRoutes } from './emojis.ts';
import { guildRoutes } from './guilds.ts';
import { messageRoutes } from './messages.ts';
import { reactionRoutes } from './reactions.ts';
import { threadRoutes } from './threads.ts';
import { webhookMessageRoutes } from './webhook-messages.ts';
import { webhookRoutes } from './webhooks.ts';

/** Every REST route that the fake serves. What is not here answers 404. */
export const routes: readonly Route[] = [
  ...applicationRoutes,
  ...emojiRoutes,
  ...guildRoutes,
  ...channelRoutes,
  ...messageRoutes,
  ...reactionRoutes,
  ...threadRoutes,
  ...webhookRoutes,
  ...webhookMessageRoutes,
  ...callbackRoutes,
];
