/** Code fences as CommonMark has them, and the marks that close one and open it again in the next piece. */

export interface Fence {
  /** Three or more backticks or tildes. */
  readonly marker: string;
  /** What follows the marker, usually the language; shortened where it is too long to be repeated. */
  readonly info: string;
  /** Quote marks before it, e.g. `> `. */
  readonly quote: string;
  /** White space as wide as what stands before it in a list. */
  readonly indent: string;
}

export interface OpenedFence {
  readonly fence: Fence;
  /** Units up to the end of the marker, counted from after the quote marks. */
  readonly marksLength: number;
}

/** Lists indent fences at will, so any indentation is allowed, and list marks before it. */
const opening =
  /^((?:[ \t]*(?:[-*+]|\d{1,9}[.)])(?=[ \t]))*[ \t]*)(?:(`{3,})([^`]*)|(~{3,})(.*))$/s;

/**
 * @param content - A line without its quote marks.
 * @param limit - Of a piece, in UTF-16 units; marks longer than a share of it are no fence, because
 *   there would be no room for code beside them.
 */
export function fenceOpenedBy(
  quote: string,
  content: string,
  limit: number,
): OpenedFence | undefined {
  const [, before = '', backticks, backtickInfo, tildes, tildeInfo] = opening.exec(content) ?? [];
  const marker = backticks ?? tildes;
  if (marker === undefined || marker.length > limit / 10 || before.length > limit / 10)
    return undefined;
  const info = (backtickInfo ?? tildeInfo ?? '').trim();
  const [language = ''] = info.split(/\s/, 1);
  const kept = [info, language].find((text) => text.length <= limit / 4) ?? '';
  const indent = before.replace(/\S/g, ' ');
  return {
    fence: { marker, info: kept, quote, indent },
    marksLength: before.length + marker.length,
  };
}

/** @param content - A line without its quote marks. */
export function fenceClosedBy(fence: Fence, content: string): boolean {
  const marks = content.trim();
  const character = fence.marker.charAt(0);
  return marks.length >= fence.marker.length && marks === character.repeat(marks.length);
}

/** The line that opens the fence again at the start of a piece, with its line feed. */
export function reopened(fence: Fence): string {
  return `${fence.quote}${fence.marker}${fence.info}\n`;
}

/**
 * The line that closes the fence at the end of a piece, with the line feed before it.
 *
 * @param isReopened - Whether the piece opened it with {@link reopened}, without its indentation.
 */
export function closing(fence: Fence, isReopened: boolean): string {
  return `\n${fence.quote}${isReopened ? '' : fence.indent}${fence.marker}`;
}
