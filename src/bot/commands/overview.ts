/** What somebody is shown of Council where nothing is asked, e.g. in Slack's App Home. */

import type { Place } from '../../../commands/command.ts';
import type { Overview } from '../../platforms/platform.ts';
import type { Store } from '../../store/store.ts';
import { readQuestions, recentScope } from '../asking/recent-questions.ts';
import { type ChannelsOptions, readChannel } from '../places/channels.ts';
import { fieldsOf } from './change-settings.ts';

/** @param personId - Whose latest questions are shown. */
export async function overviewFor(
  workspace: Pick<Place, 'platform' | 'workspace'>,
  personId: string,
  options: ChannelsOptions & { readonly store: Pick<Store, 'turns'> },
): Promise<Overview> {
  const { council, store } = options;
  // Of a channel that there is not, so that nothing but the defaults holds in it.
  const nowhere = `${workspace.platform}:${workspace.workspace}::`;
  const scope = recentScope(workspace, personId);
  const { channel, beside } = await readChannel(options, nowhere, [scope]);
  return {
    bench: channel.council.bench,
    defaults: fieldsOf('server', channel, council),
    recent: await readQuestions(beside[0] ?? {}, store.turns),
  };
}
