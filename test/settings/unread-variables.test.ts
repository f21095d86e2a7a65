import { describe, expect, it } from 'vitest';
import { unreadVariables } from '../../src/settings/environment.ts';

const known = [
  ...['OPENAI_API_KEY', 'XAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY'],
  ...['OLLAMA_HOST', 'DISCORD_TOKEN', 'SLACK_BOT_TOKEN', 'REDIS_URL', 'COUNCIL_ROLE'],
];

const found = (...set: readonly string[]) => unreadVariables(set, new Set(), known);

describe('a variable that leads nowhere', () => {
  it.each([
    ['OPENAI_APIKEY', 'OPENAI_API_KEY'],
    ['OPENAI_KEY', 'OPENAI_API_KEY'],
    ['OPENAI_SECRET_KEY', 'OPENAI_API_KEY'],
    ['OPENAI_API_TOKEN', 'OPENAI_API_KEY'],
    ['OPNAI_API_KEY', 'OPENAI_API_KEY'],
    ['ANTRHOPIC_API_KEY', 'ANTHROPIC_API_KEY'],
    ['CLAUDE_API_KEY', 'ANTHROPIC_API_KEY'],
    ['GOOGLE_API_KEY', 'GEMINI_API_KEY'],
    ['GROK_API_KEY', 'XAI_API_KEY'],
    ['OLAMA_HOST', 'OLLAMA_HOST'],
    ['DISCORD_BOT_TOKEN', 'DISCORD_TOKEN'],
    ['COUNCIL_ROLL', 'COUNCIL_ROLE'],
    ['DISCORD_TOKEN_FILE', 'DISCORD_TOKEN'],
    ['REDIS_URL_FILE', 'REDIS_URL'],
  ])('is %s, which was meant to be %s', (name, meant) => {
    expect(found(name)).toEqual([{ name, meant, isInFile: false }]);
  });

  it('is the key of a provider that is not known', () => {
    expect(found('COHERE_API_KEY')).toEqual([{ name: 'COHERE_API_KEY', isInFile: false }]);
    expect(unreadVariables(['COHERE_API_KEY'], new Set(['COHERE_API_KEY']), known)).toEqual([
      { name: 'COHERE_API_KEY', isInFile: true },
    ]);
  });

  it.each([
    ...['OPENAI_API_KEY', 'OPENAI_ORG_ID', 'OPENAI_BASE_URL', 'ZAI_KEY', 'PATH', 'GITHUB_TOKEN'],
    ...['SSH_KEY', 'REDIS_HOST', 'npm_config_cache', 'DISCORD_CLIENT_ID', 'SLACK_WEBHOOK_URL'],
  ])('is not %s', (name) => {
    expect(found(name)).toEqual([]);
  });

  it('is none beside the right one', () => {
    expect(found('OPENAI_APIKEY', 'OPENAI_API_KEY')).toEqual([]);
  });
});
