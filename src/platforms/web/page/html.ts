/** HTML by templates: what is put into one does nothing, whatever its author. And what a command replies, in it. */

import type { Reply, ReplyBlock } from '../../../../commands/command.ts';
import { escapeHtml, shownTime, withMoments } from '../../../domain/words.ts';
import { saidHtml } from '../../../pages/said-html.ts';

/** HTML in which nothing of others works. */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

type Value = Html | string | number | undefined | readonly Html[];

/**
 * Fills a template. Texts stand in it as they read, without signs that can't be seen or that turn the direction of
 * writing; HTML stands as it is, lists of it one after another; nothing stands for `undefined`. Attributes are to
 * be in quotation marks.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(strings.map((part, index) => part + shown(values[index])).join(''));
}

/** HTML that is known to be inert. */
export function raw(text: string): Html {
  return new Html(text);
}

function shown(value: Value): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.toString();
  return typeof value === 'object' ? value.join('') : escapeHtml(String(value));
}

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
