/**
 * Separates a model's reasoning from its answer when both arrive in one text.
 *
 * Servers that run local models without a reasoning parser leave the reasoning at the start of the content, as
 * `<think>…</think>`. It must neither be shown nor parsed as the requested JSON.
 */

const opening = '<think>';
const closing = '</think>';

/** A piece of either the answer or the reasoning. */
export interface SortedText {
  readonly type: 'text' | 'reasoning';
  readonly text: string;
}

/** Sorts a text that arrives in pieces, which may split a tag anywhere. */
export function createLeadingThought() {
  let state: 'start' | 'thought' | 'gap' | 'text' = 'start';
  /** Leading blanks, which belong to the answer if no reasoning follows. */
  let blanks = '';
  let held = '';

  /** Takes the next piece; returns what can be classified so far, in order. */
  function take(piece: string): readonly SortedText[] {
    if (state === 'text') {
      return sorted('text', piece);
    }
    if (state !== 'start') {
      held += piece;
      return state === 'thought' ? takeThought() : takeGap();
    }
    // Never rescans earlier blanks: a server may send them one by one without end.
    const fresh = held === '' ? piece.trimStart() : piece;
    blanks += piece.slice(0, piece.length - fresh.length);
    held += fresh;
    if (held.startsWith(opening)) {
      held = held.slice(opening.length);
      blanks = '';
      state = 'thought';
      return takeThought();
    }
    return opening.startsWith(held) ? [] : release('text');
  }

  function takeThought(): readonly SortedText[] {
    const end = held.indexOf(closing);
    if (end === -1) {
      const kept = lengthOfCutTag(held);
      const reasoning = held.slice(0, held.length - kept);
      held = held.slice(held.length - kept);
      return sorted('reasoning', reasoning);
    }
    const reasoning = held.slice(0, end);
    held = held.slice(end + closing.length);
    state = 'gap';
    return [...sorted('reasoning', reasoning), ...takeGap()];
  }

  // Blank lines between the reasoning and the answer belong to neither.
  function takeGap(): readonly SortedText[] {
    held = held.trimStart();
    return held === '' ? [] : release('text');
  }

  function release(type: SortedText['type']): readonly SortedText[] {
    const text = blanks + held;
    blanks = '';
    held = '';
    state = 'text';
    return sorted(type, text);
  }

  /** Returns text held back as a possible tag. Call once, at the end. */
  function end(): readonly SortedText[] {
    return release(state === 'thought' ? 'reasoning' : 'text');
  }

  return { take, end };
}

function sorted(type: SortedText['type'], text: string): readonly SortedText[] {
  return text === '' ? [] : [{ type, text }];
}

/** The number of trailing characters that could begin the closing tag. */
function lengthOfCutTag(text: string): number {
  for (let length = Math.min(closing.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(closing.slice(0, length))) {
      return length;
    }
  }
  return 0;
}
