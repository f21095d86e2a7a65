/** Which models are kin: they were trained by the same people on much the same data, and err alike. */

/** What the names of a family's models begin with. */
const families: Readonly<Record<string, RegExp>> = {
  GPT: /^(?:gpt|chatgpt|codex|o[134](?![a-z]))/,
  Claude: /^claude/,
  Gemini: /^(?:gemini|gemma)/,
  Llama: /^(?:meta-)?llama/,
  Qwen: /^(?:qwen|qwq)/,
  Mistral: /^(?:mistral|ministral|mixtral|magistral|codestral|devstral|pixtral)/,
  DeepSeek: /^deepseek/,
  Grok: /^grok/,
  Command: /^command/,
  Phi: /^phi/,
  Kimi: /^kimi/,
  GLM: /^glm/,
  Nova: /^nova/,
};

/**
 * @param model - `provider:model`, e.g. `openrouter:anthropic/claude-opus-4`, `ollama:llama3.3:70b`.
 * @returns E.g. `Claude`, `Llama`; `undefined` for a name that is no known family's.
 */
export function familyOf(model: string): string | undefined {
  const name = model.slice(model.indexOf(':') + 1).toLowerCase();
  const bare = name.slice(name.lastIndexOf('/') + 1);
  return Object.keys(families).find((family) => families[family]?.test(bare));
}

/** The family that all models are of; `undefined` where there are several, or one is not known. */
export function sharedFamily(models: readonly string[]): string | undefined {
  const [family, ...others] = new Set(models.map(familyOf));
  return others.length === 0 ? family : undefined;
}
