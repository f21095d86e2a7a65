/** What stands within lines, as Discord can show it: HTML, pictures, references to footnotes. */

const pairs: Readonly<Record<string, string>> = {
  ...{ b: '**', strong: '**', summary: '**', i: '*', em: '*', u: '__', ins: '__' },
  ...{ s: '~~', del: '~~', strike: '~~', code: '`', kbd: '`', samp: '`', tt: '`' },
};
const paired = new RegExp(`<(${Object.keys(pairs).join('|')})>([^<>\\n]+)</\\1>`, 'g');
/** Elements within elements are changed from within. */
const deepest = 4;

const anchor = /<a\s[^<>\n]*?href=(["'])([^"'<>\s]+)\1[^<>\n]*>([^<>\n]+)<\/a>/g;
const picture = /<img\s[^<>\n]*>/g;
const lineEnd = /<(?:br|hr)\s*\/?>|<\/(?:p|div|li|tr|h[1-6]|blockquote|pre|dt|dd)>/g;
const item = /<li(?:\s[^<>\n]*)?>/g;
const cellEnd = /<\/(?:td|th)>/g;
/** Elements that only arrange what is in them. In small letters only: `List<P>` is none. */
const arranging =
  /<\/?(?:details|summary|p|div|span|sub|sup|small|mark|center|ul|ol|table|thead|tbody|tr|td|th|h[1-6]|blockquote|pre|dl|dt|dd|section|article|font)(?:\s[^<>\n]*)?>/g;

const entities: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'", nbsp: ' ' },
  ...{ mdash: '—', ndash: '–', hellip: '…', rarr: '→', times: '×' },
};
const entity = new RegExp(`&(${Object.keys(entities).join('|')});`, 'g');

const markdownPicture = /!\[([^\][\n]{0,500})\](?=\()/g;
const footnote = /\[\^([^\]\s]{1,40})\]/g;
const raised = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** @param prose - Text without code. What it says stays, in its order. */
export function discordInline(prose: string): string {
  return withoutHtml(prose)
    .replace(markdownPicture, (_, alt: string) => `[${alt.trim() || 'picture'}]`)
    .replace(footnote, (_, label: string) => raisedLabel(label));
}

/** The sign of a footnote, for its reference and for itself. */
export function raisedLabel(label: string): string {
  if (!/^\d+$/.test(label)) return `(${label})`;
  return Array.from(label, (digit) => raised.charAt(Number(digit))).join('');
}

function withoutHtml(prose: string): string {
  if (!prose.includes('<') && !prose.includes('&')) return prose;
  let text = prose
    .replace(picture, pictureLink)
    .replace(anchor, (_, _quote, address: string, label: string) => `[${label}](${address})`);
  for (let depth = 0; depth < deepest; depth += 1) {
    text = text.replace(paired, (_, name: string, inner: string) => {
      const mark = pairs[name] ?? '';
      return `${mark}${inner}${mark}`;
    });
  }
  return text
    .replace(item, '- ')
    .replace(cellEnd, ' ')
    .replace(lineEnd, '\n')
    .replace(arranging, '')
    .replace(entity, (whole, name: string) => entities[name] ?? whole);
}

function pictureLink(element: string): string {
  const attribute = (name: string) =>
    new RegExp(`\\s${name}=(?:"([^"]*)"|'([^']*)')`).exec(element)?.slice(1).find(Boolean) ?? '';
  const source = attribute('src');
  const alt = attribute('alt');
  if (source === '') return alt;
  return `[${alt || 'picture'}](${source})`;
}
