/** A turn as a model reads it, in Markdown. */

import type { TurnEnd } from '../../../council/events.ts';
import { verdictTitle } from '../../../domain/ballot-words.ts';
import { partsOf } from '../../../domain/thread-id.ts';
import { namesOf } from '../../../domain/words.ts';
import {
  certaintyLines,
  type VerdictMarkdownOptions,
  verdictMarkdown,
} from '../../chat/show/verdict-words.ts';
import { inWords } from '../refusals.ts';
import type { WebTurn } from '../web-council.ts';

/** The verdict first, then what each sage said, then how to go on. */
export function turnText(
  { turnId, threadId, past }: Pick<WebTurn, 'turnId' | 'threadId' | 'past'>,
  { outcome, explanation }: TurnEnd,
): string {
  const { verdict, ranked, answers, seated } = past;
  const nameOf = namesOf(seated?.seats.map(({ sage }) => sage) ?? []);
  // Nothing is drawn of it: it can stay as it was written.
  const asWritten: VerdictMarkdownOptions = {
    inert: (line) => line,
    inertBody: (text) => text,
    nameOf,
  };
  const given = answers.filter(({ status }) => status === 'answered');
  const failed = answers.filter(({ status }) => status === 'failed');
  return [
    ...(outcome === 'answered'
      ? []
      : [`The council was ${outcome}. ${inWords(explanation)}`.trim()]),
    ...(verdict
      ? [
          `# ${verdictTitle(verdict)}`,
          verdictMarkdown(verdict, asWritten),
          ...certaintyLines(verdict, ranked, asWritten.inert),
        ]
      : []),
    ...given.map(({ sage, answer }) => `## ${nameOf(sage)}\n${answer}`),
    ...failed.map(({ sage, answer }) => `## ${nameOf(sage)}\n(${answer})`),
    `(Turn ${turnId}. To go on with this conversation, give thread ${partsOf(threadId).thread}.)`,
  ].join('\n\n');
}
