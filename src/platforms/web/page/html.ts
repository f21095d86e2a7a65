/** HTML templates that escape their values, and command replies as HTML. */

import type { Reply, ReplyBlock } from '../../../../commands/command.ts';
import { escapeHtml, shownTime, withMoments } from '../../../domain/words.ts';
import { saidBlock } from '../../../pages/said-html.ts';

/** HTML without active content from users or models. */
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
 * Fills a template. Texts are escaped, and invisible and bidirectional control characters removed. `Html` is
 * inserted unchanged, lists of it are joined, and `undefined` is empty. Attribute values must be quoted.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(strings.map((part, index) => part + shown(values[index])).join(''));
}

/** Marks text as HTML that is known to be inert. */
export function raw(text: string): Html {
  return new Html(text);
}

function shown(value: Value): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.toString();
  return typeof value === 'object' ? value.join('') : escapeHtml(String(value));
}

/** The blocks of a command's reply, without files and choices. */
export function replyHtml({ blocks }: Reply): Html {
  return html`${blocks.map(blockHtml)}`;
}

function blockHtml(block: ReplyBlock): Html {
  switch (block.type) {
    case 'text':
      return raw(markdown(block.text));
    case 'fields':
      return html`<dl>${block.fields.map(({ name, value }) => html`<dt>${name}</dt><dd>${raw(markdown(value))}</dd>`)}</dl>`;
    case 'table':
      return table(block.header, block.rows);
    // The page has its own buttons for actions and its own page of settings, and files are downloads.
    case 'settings':
    case 'choices':
    case 'file':
    case 'stream':
      return html``;
  }
}

function markdown(text: string): string {
  return withMoments(saidBlock(text), (at) => `${timeHtml(at)}`);
}

/** A time, which the page’s script shows in the reader’s time zone. @param at - Milliseconds since 1970. */
export function timeHtml(at: number): Html {
  return html`<time datetime="${new Date(at).toISOString()}">${shownTime(at)} UTC</time>`;
}

export function table(header: readonly string[], rows: readonly (readonly string[])[]): Html {
  return html`<div class="table" tabindex="0"><table>
<thead><tr>${header.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>`;
}
