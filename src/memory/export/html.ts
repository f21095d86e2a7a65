/** An archive as one page of HTML, for people. */

import { setImmediate as breathe } from 'node:timers/promises';
import { inertHtml } from '../../domain/inert-html.ts';
import { firstSentences } from '../../domain/words.ts';
import { pageBegin, pageEnd } from '../../pages/page.ts';
import { type Spoken, spokenIn } from '../../pages/spoken.ts';
import { spokenHtml } from '../../pages/spoken-html.ts';
import type { ArchivedThread, ArchiveWriter } from './archive.ts';

/** This many take some milliseconds. */
const readAtOnce = 10;
const longestTitle = 120;

export const htmlWriter = {
  begin: (place) => {
    const isThread = place.split(':').length > 3;
    const title = isThread ? 'A conversation with the council' : 'Conversations with the council';
    return pageBegin(title, `${place}. Times are UTC.`);
  },
  thread: threadHtml,
  between: '\n',
  end: pageEnd,
} as const satisfies ArchiveWriter;

/** Lets others go first now and then: reading the Markdown of a long channel takes seconds. */
async function threadHtml(thread: ArchivedThread): Promise<string> {
  const articles: string[] = [];
  const said = spokenIn(thread);
  for (const one of said) {
    articles.push(spokenHtml(one));
    if (articles.length % readAtOnce === 0) await breathe();
  }
  await breathe();
  return `<section>\n<h2>${inertHtml(titleOf(said) ?? thread.threadId)}</h2>\n${articles.join('\n')}\n</section>`;
}

/** What was asked first. */
function titleOf(said: readonly Spoken[]): string | undefined {
  const asked = said.find(({ kind }) => kind === 'question');
  return asked && firstSentences(asked.text, longestTitle);
}
