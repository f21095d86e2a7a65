/** Text on one line that is what it is in Markdown, too: nothing in it works as a mark. */
export function inlineMarkdown(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*_[\]<>|#~]/g, '\\$&');
}
