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
] as const;
/** Begins a reply in the format of gpt-oss that the server left as it was. */
const harmonyStarts = ['<|channel|>', '<|start|>', '<|constrain|>', '<|message|>'];
const starts = [...harmonyStarts, ...tags.map(([opens]) => opens)];
const harmonyMark = /<\|(?:start|channel|constrain|message|end|return|call)\|>/;
const longestMark = '<|constrain|>'.length;
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
  let state: 'start' | 'thought' | 'gap' | 'text' | 'harmony' = 'start';
  /** Leading blanks, which belong to the answer if no reasoning follows. */
  let blanks = '';
  let held = '';
  let closes: string = closing;
  const harmony = createHarmony();

  /** Takes the next piece; returns what can be classified so far. */
  function take(piece: string): SortedText {
    if (state === 'text') return { reasoning: '', text: piece };
    if (state === 'harmony') return harmony.take(piece);
    if (state === 'start') return takeStart(piece);
    held += piece;
    return state === 'thought' ? takeThought() : takeGap();
  }

  function takeStart(piece: string): SortedText {
    // Never rescans earlier blanks: a server may send them one by one without end.
    const fresh = held === '' ? piece.trimStart() : piece;
    blanks += piece.slice(0, piece.length - fresh.length);
    held += fresh;
    if (harmonyStarts.some((mark) => held.startsWith(mark))) {
      state = 'harmony';
      return harmony.take(held);
    }
    const begun = tags.find(([opens]) => held.startsWith(opens));
    if (!begun) return starts.some((opens) => opens.startsWith(held)) ? nothing : release();
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
    if (state === 'harmony') return harmony.end();
    return state === 'text' ? nothing : release();
  }

  return { take, end };
}

/** Sorts messages of gpt-oss: a header names the channel, then comes the text. All but `analysis` is the answer. */
function createHarmony() {
  let header = '';
  let isInHeader = true;
  let hasText = false;
  let held = '';

  function take(piece: string): SortedText {
    held += piece;
    const sorted = { reasoning: '', text: '' };
    while (true) {
      const found = harmonyMark.exec(held);
      // The last characters may begin a mark.
      const end = found?.index ?? Math.max(0, held.length - longestMark + 1);
      keep(sorted, held.slice(0, end));
      if (!found) {
        held = held.slice(end);
        return sorted;
      }
      const [mark] = found;
      held = held.slice(end + mark.length);
      isInHeader = mark !== '<|message|>';
      if (isInHeader && mark !== '<|constrain|>') header = '';
    }
  }

  function keep(sorted: { reasoning: string; text: string }, part: string): void {
    if (isInHeader) header += part;
    else if (header.includes('analysis')) sorted.reasoning += part;
    else sorted.text += part;
    hasText ||= sorted.text !== '';
  }

  function end(): SortedText {
    const sorted = { reasoning: '', text: '' };
    keep(sorted, held);
    // Where no mark ends the header, the answer is in it.
    return isInHeader && !hasText ? { reasoning: '', text: header } : sorted;
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
