/** HTML by templates: what is put into one does nothing, whatever its author. */

import { inertHtml } from '../../../domain/words.ts';

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
  return typeof value === 'object' ? value.join('') : inertHtml(String(value));
}
