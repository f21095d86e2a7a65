/** An export as one page of HTML, for people. */

import { setImmediate as breathe } from 'node:timers/promises';
import { inertHtml } from '../../domain/inert-html.ts';
import { firstSentences } from '../../domain/words.ts';
import { pageBegin, pageEnd } from '../../pages/page.ts';
import type { Spoken } from '../../pages/spoken.ts';
import { spokenHtml } from '../../pages/spoken-html.ts';
import type { ExportWriter, ReadableThread } from './export.ts';
import { spokenInOrder } from './in-order.ts';

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
} as const satisfies ExportWriter;

/** Lets others go first after each turn: reading the Markdown of a long channel takes seconds. */
async function* threadHtml(thread: ReadableThread): AsyncGenerator<string> {
  let isBegun = false;
  for await (const said of spokenInOrder(thread)) {
    if (!isBegun) yield beginOf(titleOf(said) ?? thread.threadId);
    isBegun = true;
    yield said.map((one) => `\n${spokenHtml(one)}`).join('');
    await breathe();
  }
  if (!isBegun) yield beginOf(thread.threadId);
  yield '\n</section>';
}

function beginOf(title: string): string {
  return `<section>\n<h2>${inertHtml(title)}</h2>`;
}

/** What was asked first. */
function titleOf(said: readonly Spoken[]): string | undefined {
  const asked = said.find(({ kind }) => kind === 'question');
  return asked && firstSentences(asked.text, longestTitle);
}
