/** A message of Slack as plain words: mentions become names, links what they lead to, and nothing stays live. */

import { writtenMention } from '../../chat/text/visible-text.ts';

const token = /<([@#!]?)([^<>|\n]*)(?:\|([^<>\n]*))?>/g;
const entities: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };
/** Mentions beyond these keep their id. */
const mostPeople = 20;

/** The tokens of one kind: `@` people, `#` channels, `!` groups and the like. */
function tokensIn(text: string, kind: string) {
  return [...text.matchAll(token)].flatMap(([, sign, id = '', label = '']) =>
    sign === kind ? { id, label } : [],
  );
}

/** Ids of those who are mentioned, each once, without the bot; at most 20. */
export function peopleIn(text: string, botUserId: string | undefined): readonly string[] {
  const ids = new Set(tokensIn(text, '@').map(({ id }) => id));
  return [...ids].filter((id) => id !== '' && id !== botUserId).slice(0, mostPeople);
}

/** Ids of the channels that are mentioned without their names, each once. */
export function channelsIn(text: string): readonly string[] {
  const ids = tokensIn(text, '#').flatMap(({ id, label }) => (label === '' ? id : []));
  return [...new Set(ids)].slice(0, mostPeople);
}

export function mentions(text: string, userId: string | undefined): boolean {
  return tokensIn(text, '@').some(({ id }) => id === userId);
}

/** Whether people, groups or a whole channel are mentioned, besides the bot. */
export function mentionsOthers(text: string, botUserId: string | undefined): boolean {
  return (
    tokensIn(text, '@').some(({ id }) => id !== botUserId) ||
    // `<!here>`, `<!channel>`, `<!everyone>` and `<!subteam^S1>` call people; a date does not.
    tokensIn(text, '!').some(({ id }) => !id.startsWith('date^'))
  );
}

/** As it was written, without mentions of one. */
export function withoutMentionOf(text: string, userId: string | undefined): string {
  return text.replace(token, (written, sign: string, id: string) =>
    sign === '@' && id === userId ? ' ' : written,
  );
}

/**
 * @param botUserId - Mentions of it are left out.
 * @param names - By the id of a person or a channel; others are `someone`.
 */
export function plainQuestion(
  text: string,
  botUserId: string | undefined,
  names: ReadonlyMap<string, string>,
): string {
  return text
    .replace(token, (_, sign: string, id: string, label = '') => {
      if (sign === '@')
        return id === botUserId ? ' ' : writtenMention(names.get(id) ?? (label || 'someone'));
      if (sign === '#') return `#${label || (names.get(id) ?? 'a channel')}`;
      if (sign === '!') return commandWords(id, label);
      return label === '' || label === id ? id : `${label} (${id})`;
    })
    .replace(/&(?:amp|lt|gt);/g, (entity) => entities[entity] ?? entity)
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .trim();
}

/** `<!here>`, `<!subteam^S1|@team>`, `<!date^…|tomorrow>`. */
function commandWords(id: string, label: string): string {
  if (label !== '') return label;
  const [name = ''] = id.split('^', 1);
  return name === 'subteam' ? '@a group' : `@${name}`;
}
