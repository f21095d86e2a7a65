/** Text that others wrote, made safe to stand in HTML and SVG. */

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For text and for attributes in quotes; also of the signs that reverse what is read, and of those that no page may hold. */
export function inertHtml(text: string): string {
  return text
    .replace(/[&<>"']/g, (sign) => entities[sign] ?? '')
    .replace(/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\u202a-\u202e\u2066-\u2069]/gu, (sign) =>
      /[\n\t]/.test(sign) ? sign : '',
    );
}
