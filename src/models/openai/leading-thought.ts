/**
 * Separates a model's reasoning from its answer when both arrive in one text.
 *
 * Servers that run local models without a reasoning parser leave the reasoning at the start of the content, in the
 * model's own tags. It must neither be shown nor parsed as the requested JSON.
 */

const opening = '<think>';
export const closing = '</think>';
/** How a thought ends, by how it begins. */
const tags = [
  [opening, closing],
  ['[THINK]', '[/THINK]'], // Mistral
  ['<thought>', '</thought>'], // Google's endpoint
  ['<|channel>thought', '<channel|>'], // Gemma 4
  ['<|channel|>analysis<|message|>', '<|start|>assistant<|channel|>final<|message|>'], // gpt-oss
] as const;
/** Ends its line, unlike a tag that an answer speaks of. */
const closingLine = /<\/think>\s*(?:\n\s*|$)/;

/** What a piece adds to the reasoning, then to the answer. */
export interface SortedText {
  readonly reasoning: string;
  readonly text: string;
}

export const nothing: SortedText = { reasoning: '', text: '' };

/** Sorts a text that arrives in pieces, which may split a tag anywhere. */
export function createLeadingThought() {
  let state: 'start' | 'thought' | 'gap' | 'text' = 'start';
  /** Leading blanks, which belong to the answer if no reasoning follows. */
  let blanks = '';
  let held = '';
  let closes: string = closing;

  /** Takes the next piece; returns what can be classified so far. */
  function take(piece: string): SortedText {
    if (state === 'text') return { reasoning: '', text: piece };
    if (state === 'start') return takeStart(piece);
    held += piece;
    return state === 'thought' ? takeThought() : takeGap();
  }

  function takeStart(piece: string): SortedText {
    // Never rescans earlier blanks: a server may send them one by one without end.
    const fresh = held === '' ? piece.trimStart() : piece;
    blanks += piece.slice(0, piece.length - fresh.length);
    held += fresh;
    const begun = tags.find(([opens]) => held.startsWith(opens));
    if (!begun) return tags.some(([opens]) => opens.startsWith(held)) ? nothing : release();
    held = held.slice(begun[0].length);
    closes = begun[1];
    blanks = '';
    state = 'thought';
    return takeThought();
  }

  function takeThought(): SortedText {
    const found = held.indexOf(closes);
    // The last characters may begin the tag.
    const end = found === -1 ? Math.max(0, held.length - closes.length + 1) : found;
    const reasoning = held.slice(0, end);
    if (found === -1) {
      held = held.slice(end);
      return { reasoning, text: '' };
    }
    held = held.slice(end + closes.length);
    state = 'gap';
    return { ...takeGap(), reasoning };
  }

  // Blank lines between the reasoning and the answer belong to neither.
  function takeGap(): SortedText {
    held = held.trimStart();
    return held === '' ? nothing : release();
  }

  function release(): SortedText {
    state = 'text';
    return { reasoning: '', text: blanks + held };
  }

  /** Returns text held back as a possible tag. Call once, at the end. */
  function end(): SortedText {
    if (state === 'thought') return { reasoning: held, text: '' };
    return state === 'text' ? nothing : release();
  }

  return { take, end };
}

/**
 * Separates the reasoning of a whole reply whose opening tag stands in the prompt, as with Qwen's and DeepSeek's
 * templates: only its end shows that it was reasoning.
 */
export function withoutOpenThought({ text, reasoning }: SortedText): SortedText {
  const found = closingLine.exec(text);
  const thought = text.slice(0, found?.index);
  if (!found || thought.includes(opening)) return { text, reasoning };
  return { text: text.slice(found.index + found[0].length), reasoning: reasoning + thought };
}
