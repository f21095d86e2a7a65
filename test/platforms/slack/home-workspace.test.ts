/** Whose people those of shared channels are, by the shapes of the events that Slack sends. */

import { expect, test } from 'vitest';
import { homeWorkspace } from '../../../src/platforms/slack/place.ts';

const team = 'T1HOME';
const authorizations = [{ enterprise_id: 'E1HOME', team_id: team, is_enterprise_install: false }];
const theirs = { user_team: 'E2AWAY', source_team: 'E2AWAY', user_profile: { team: 'E2AWAY' } };
const mention = { type: 'app_mention', user: 'U1', text: '<@U2> why?' };

test.each([
  [
    'a mention by someone of another organisation',
    { team_id: team, event: { ...mention, team, ...theirs }, authorizations },
    { workspace: 'E2AWAY' },
  ],
  [
    'the same to a workspace without an organisation',
    {
      team_id: team,
      event: { ...mention, team, ...theirs },
      authorizations: [{ enterprise_id: null, team_id: team }],
    },
    { workspace: 'E2AWAY' },
  ],
  [
    'a message by that person',
    { team_id: 'T2AWAY', event: { type: 'message', user: 'U1', team: 'T2AWAY' }, authorizations },
    { workspace: 'T2AWAY' },
  ],
  [
    'a mention by a colleague, in the name of the other company',
    { team_id: 'T2AWAY', event: { ...mention, team: 'T2AWAY', user_team: team }, authorizations },
    {},
  ],
  [
    'a mention by a colleague of the own organisation',
    { team_id: team, event: { ...mention, team, user_team: 'E1HOME' }, authorizations },
    {},
  ],
  [
    'a message whose author Slack does not place, as anyone’s of the workspace',
    { team_id: team, event: { ...mention, team, user_team: null }, authorizations },
    {},
  ],
  [
    'a button that someone of another company presses',
    { team: { id: team }, user: { id: 'U1', team_id: 'T2AWAY' } },
    { workspace: 'T2AWAY' },
  ],
])('%s', (_what, body, workspace) => {
  expect(homeWorkspace(body, team)).toEqual(workspace);
});
