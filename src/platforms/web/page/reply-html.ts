/** What a command replies, as HTML. */

import type { Reply, ReplyBlock } from '../../../../commands/command.ts';
import { shownTime, withMoments } from '../../../domain/words.ts';
import { saidHtml } from '../../../pages/said-html.ts';
import { type Html, html, raw } from './html.ts';

export function replyHtml({ blocks }: Reply): Html {
  return html`${blocks.map(blockHtml)}`;
}

function blockHtml(block: ReplyBlock): Html {
  switch (block.type) {
    case 'text':
      return html`<div class="said">${raw(markdown(block.text))}</div>`;
    case 'fields':
      return html`<dl>${block.fields.map(({ name, value }) => html`<dt>${name}</dt><dd class="said">${raw(markdown(value))}</dd>`)}</dl>`;
    case 'table':
      return table(block.header, block.rows);
    case 'settings':
      return table(
        ['Setting', 'Value', 'What it does'],
        block.fields.map(({ label, value, description }) => [label, value, description]),
      );
    // What can be done here has buttons of its own, and a file is a download.
    case 'choices':
    case 'file':
    case 'stream':
      return html``;
  }
}

function markdown(text: string): string {
  return saidHtml(shownWords(text));
}

/** Words for people, with moments as they read them. */
export function shownWords(text: string): string {
  return withMoments(text, (at) => `${shownTime(at)} UTC`);
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): Html {
  return html`<div class="table" tabindex="0"><table>
<thead><tr>${header.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>`;
}
