/** Variables that are set and lead nowhere: a known name with a slip in it, or the key of a provider that the operator's file does not describe. */

import { editDistance } from './check.ts';
import { knownProviders } from './known-providers.ts';

/** A variable that nothing reads. Its value is not in it. */
export interface UnreadVariable {
  readonly name: string;
  /** The variable that was probably meant, and that is not set; absent for the key of an unknown provider. */
  readonly meant?: string;
  /** It stands in `.env`, where nothing else would have use for it. */
  readonly isInFile: boolean;
}

const otherNames: ReadonlyMap<string, string> = new Map([
  ...Object.values(knownProviders).flatMap(({ apiKeyEnv, otherKeyNames = [] }) =>
    apiKeyEnv ? otherKeyNames.map((name) => [name, apiKeyEnv] as const) : [],
  ),
  ['DISCORD_BOT_TOKEN', 'DISCORD_TOKEN'],
  ['SLACK_TOKEN', 'SLACK_BOT_TOKEN'],
  ['OLLAMA_URL', 'OLLAMA_HOST'],
  ['OLLAMA_BASE_URL', 'OLLAMA_HOST'],
]);

/**
 * Finds them among what is set.
 *
 * @param set - Names of all variables that are set.
 * @param inFile - Those of them that `.env` sets.
 * @param known - Names that are read.
 */
export function unreadVariables(
  set: readonly string[],
  inFile: ReadonlySet<string>,
  known: readonly string[],
): readonly UnreadVariable[] {
  const missing = known.filter((name) => !set.includes(name));
  return set
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const meant = meantBy(name, missing);
      const isKey = /_API_?KEY$/.test(name);
      const isInFile = inFile.has(name);
      if (meant !== undefined) return [{ name, meant, isInFile }];
      // The right name is set as well: there is nothing to say.
      if (meantBy(name, known) !== undefined || !isKey) return [];
      return [{ name, isInFile }];
    });
}

function meantBy(name: string, known: readonly string[]): string | undefined {
  const other = otherNames.get(name);
  if (other !== undefined && known.includes(other)) return other;
  const stem = stemOf(name);
  return known.find((one) => {
    const wanted = stemOf(one);
    // What else a vendor's variables are for is told by another ending: OPENAI_ORG_ID is no slip.
    if (stem.ending !== wanted.ending) return false;
    return (
      stem.word === wanted.word ||
      (wanted.word.length >= 5 && editDistance(stem.word, wanted.word) <= 1)
    );
  });
}

/** `OPENAI_APIKEY`, `OPENAI_KEY` and `OPENAI_API_TOKEN` are all `openai` with a key. */
function stemOf(name: string): { readonly word: string; readonly ending: string } {
  const folded = name.toLowerCase().replaceAll(/[_-]/g, '');
  const key = /^(.+?)(?:(?:api|secret)+(?:key|token)|key)$/.exec(folded);
  if (key?.[1]) return { word: key[1], ending: 'key' };
  const other = /^(.+?)(token|host|url|secret|id)$/.exec(folded);
  return { word: other?.[1] ?? folded, ending: other?.[2] ?? '' };
}
