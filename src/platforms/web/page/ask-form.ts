/** The form for questions, and reading its fields. */

import type { Context } from 'hono';
import { z } from 'zod';
import { askSchema } from '../../../domain/asking.ts';
import { saidInline } from '../../../pages/said-html.ts';
import type { Suggestion } from '../../platform.ts';
import type { Offered } from '../question-fields.ts';
import type { WebQuestion } from '../web-council.ts';
import { type Html, html, raw } from './html.ts';

const text = z.string().catch('');
/** A question as typed, from the fields of its form. Never fails: malformed fields are empty. */
export const typedSchema = z.object({
  question: text,
  thread: text,
  /** Names a copy of the form, so that its question is asked once however often it is sent. */
  form: text,
  depth: text,
  preset: text,
  /** Keys. */
  sages: z.union([z.string().transform((only) => [only]), z.array(z.string()).max(100)]).catch([]),
});
export type Typed = z.infer<typeof typedSchema>;

const blank: Typed = { question: '', thread: '', form: '', depth: '', preset: '', sages: [] };

/** Reads the fields of a submitted form. Never throws: one that can't be read has none. */
export function fieldsIn({ req }: Context): Promise<Readonly<Record<string, unknown>>> {
  return req.parseBody({ all: true }).catch(() => ({}));
}

/** Reads the question with the schema of the `ask` command; `undefined` if it is empty or has an unknown depth. */
export function questionOf({ thread, form: _, sages, ...typed }: Typed): WebQuestion | undefined {
  const filled = Object.entries({
    ...typed,
    sages: sages.join(','),
    // Forms send lines with two signs at their ends.
    question: typed.question.replaceAll('\r\n', '\n').trim(),
  });
  const read = askSchema.safeParse(Object.fromEntries(filled.filter(([, value]) => value !== '')));
  if (!read.success) return undefined;
  const { question, choice } = read.data;
  return { question, ...choice, ...(thread !== '' && { thread }) };
}

/** What was typed, as hidden fields of another form. */
export function typedFields(typed: Typed): Html {
  const fields = Object.entries(typed).flatMap(([name, value]) =>
    [value].flat().map((one) => ({ name, value: one })),
  );
  return html`${fields.map(({ name, value }) => html`<input type="hidden" name="${name}" value="${value}">`)}`;
}

export interface AskFormOptions {
  /** Label of the text field. */
  readonly label: string;
  readonly offered: Offered;
  /** Initial values; `thread` is the conversation to continue. */
  readonly typed?: Partial<Typed>;
  /** Why the question was refused. */
  readonly problem?: string;
}

const depths: readonly Suggestion[] = [
  { value: '', label: 'default' },
  { value: 'quick', label: 'quick: answers and a verdict' },
  { value: 'standard', label: 'standard: with blind reviews' },
  { value: 'deep', label: 'deep: with a rebuttal' },
  { value: 'auto', label: 'as the moderator sees fit' },
];

export function askForm({ label, offered, typed, problem }: AskFormOptions): Html {
  const { question, thread, form, depth, preset, sages } = { ...blank, ...typed };
  const bench = offered.sages.map(({ key, name }) => ({ value: key, label: name }));
  const presets = [{ value: '', label: 'none' }, ...withTyped(offered.presets, [preset])];
  const isChosen = preset !== '' || sages.length > 0;
  return html`<form class="ask" method="post" action="/ask" enctype="multipart/form-data">
${problem === undefined ? '' : html`<p class="notices bad" id="problem" role="alert">${raw(saidInline(problem))}</p>`}
<label for="question">${label}</label>
<textarea id="question" name="question" rows="3" required${problem === undefined ? '' : html` autofocus aria-describedby="problem"`}>
${question}</textarea>
${thread === '' ? '' : html`<input type="hidden" name="thread" value="${thread}">`}
${form === '' ? '' : html`<input type="hidden" name="form" value="${form}" autocomplete="off">`}
<details${isChosen ? html` open` : ''}><summary>Choose who answers</summary>
${presets.length === 1 ? '' : html`<p class="row"><label for="preset">Preset</label> ${select('preset', presets, preset)}</p>`}
<fieldset><legend>Sages</legend><p class="small">Leave all unchecked to seat the council as usual. A single sage answers without a verdict.</p>
<div class="choices">${withTyped(bench, sages).map(({ value, label: name }) => html`<label><input type="checkbox" name="sages" value="${value}"${sages.includes(value) ? html` checked` : ''}> ${name}</label>`)}</div></fieldset>
</details>
<div class="row"><label for="depth">Depth</label> ${select('depth', depths, depth)} <button class="primary">Ask</button></div>
</form>`;
}

function select(name: string, options: readonly Suggestion[], chosen: string): Html {
  return html`<select id="${name}" name="${name}">${options.map(({ value, label }) => html`<option value="${value}"${value === chosen ? html` selected` : ''}>${label}</option>`)}</select>`;
}

/** Adds choices that were submitted but are no longer offered, so that the form keeps them. */
function withTyped(
  offered: readonly Suggestion[],
  typed: readonly string[],
): readonly Suggestion[] {
  const unknown = typed.filter((one) => one !== '' && !offered.some(({ value }) => value === one));
  return [...offered, ...unknown.map((value) => ({ value, label: value }))];
}
