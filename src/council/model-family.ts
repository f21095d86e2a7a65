/** Which models are kin: they were trained by the same people on much the same data, and err alike. */

/** The name that a family's models begin with, where it isn't the family's own. */
const familyByName: Readonly<Record<string, string>> = {
  chatgpt: 'gpt',
  o: 'gpt',
  codex: 'gpt',
  gemma: 'gemini',
  ministral: 'mistral',
  mixtral: 'mistral',
  magistral: 'mistral',
  codestral: 'mistral',
  devstral: 'mistral',
  qwq: 'qwen',
};

const firstWord = /^[a-z]+/;

/**
 * @param model - `provider:model`, e.g. `openrouter:anthropic/claude-opus-4`, `ollama:llama3.3:70b`.
 * @returns E.g. `claude`, `llama`; the whole name where it begins with no letter.
 */
export function familyOf(model: string): string {
  const name = model.slice(model.indexOf(':') + 1).toLowerCase();
  const bare = name.slice(name.lastIndexOf('/') + 1);
  const [word = bare] = firstWord.exec(bare) ?? [];
  return familyByName[word] ?? word;
}

/** The family that all models are of; `undefined` where there are several, or none. */
export function sharedFamily(models: readonly string[]): string | undefined {
  const [family, ...others] = new Set(models.map(familyOf));
  return others.length === 0 ? family : undefined;
}
