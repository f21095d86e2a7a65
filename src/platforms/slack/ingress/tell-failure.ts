/** What a person is told when something could not be done. */

import { faultWords } from '../../../../commands/command.ts';
import { SlackRateLimited, SlackRefusal, SlackUnanswered } from '../slack-error.ts';

/** For people; what only the log should tell stays there. */
export function failureWords(error: unknown): string {
  if (error instanceof SlackRefusal && error.neededScope !== undefined) {
    return `That did not work: the app lacks the permission ${error.neededScope} in this workspace. Whoever manages the workspace can grant it by installing the app again.`;
  }
  if (error instanceof SlackRefusal) return `That did not work: Slack refused it (${error.code}).`;
  if (error instanceof SlackRateLimited || error instanceof SlackUnanswered) {
    return 'That did not work: Slack did not take it at the moment. Try again in a minute.';
  }
  return faultWords;
}
