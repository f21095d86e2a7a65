/** How text from outside is marked as such in a prompt; given by whoever writes the prompts. */
export type Fencing = (
  kind: 'question' | 'answer' | 'summary' | 'verdict' | 'memory' | 'missing',
  text: string,
  attributes?: Readonly<Record<string, string>>,
) => string;
