import type { App } from '../world/app.ts';
import type { Installation, Json } from '../world/records.ts';

/** An event as it is sent: in the callback that says for whom it is. */
export function eventCallback(
  app: App,
  { teamId, botUserId }: Installation,
  told: { eventId: string; event: Json; atMs: number; isShared: boolean },
): Json {
  const { eventId, event, atMs, isShared } = told;
  return {
    type: 'event_callback',
    token: 'verification-token',
    team_id: teamId,
    ...(app.organisation !== undefined && { enterprise_id: app.organisation }),
    api_app_id: app.id,
    event,
    event_id: eventId,
    event_time: Math.floor(atMs / 1000),
    event_context: `EC-${eventId}`,
    authorizations: [
      {
        enterprise_id: app.organisation ?? null,
        team_id: teamId,
        user_id: botUserId,
        is_bot: true,
        is_enterprise_install: app.organisation !== undefined,
      },
    ],
    is_ext_shared_channel: isShared,
  };
}
