import { describe, expect, test } from 'vitest';
import type { SentMessage } from '../../../../src/platforms/web/v1/requests.ts';
import { isSideTask } from '../../../../src/platforms/web/v1/side-task.ts';

function said(by: SentMessage['by'], text: string): SentMessage {
  return { by, text, files: [] };
}

const history = '<chat_history>\nUSER: Should we hire?\nASSISTANT: Not yet.\n</chat_history>';

describe('what a program wants beside questions is a side task', () => {
  test.each([
    [
      'Open WebUI: a title',
      `### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.\n### Guidelines:\n- …\n### Chat History:\n${history}`,
    ],
    [
      'Open WebUI: an older title',
      `### Task:\nGenerate a concise title summarizing the chat history.\n${history}`,
    ],
    [
      'Open WebUI: tags',
      `### Task:\nGenerate 1-3 broad tags categorizing the main themes of the chat history\n${history}`,
    ],
    [
      'Open WebUI: follow-ups',
      `### Task:\nSuggest 3-5 relevant follow-up questions or prompts that the user might naturally ask next\n${history}`,
    ],
    [
      'Open WebUI: search queries',
      `### Task:\nAnalyze the chat history to determine the necessity of generating search queries\n${history}`,
    ],
    [
      'Open WebUI: a prompt for a picture',
      `### Task:\nGenerate a detailed prompt for am image generation task\n${history}`,
    ],
    [
      'Open WebUI: a translated prompt',
      '### Task:\nDetect the language of the given image generation prompt.\n\n### Prompt:\neine Katze',
    ],
    [
      'Open WebUI: autocompletion',
      '### Task:\nYou are an autocompletion system. Continue the text in `<text>`\n<text>Should we</text>',
    ],
    [
      'Open WebUI: which tools',
      'Available Tools: []\n\nYour task is to choose and return the correct tool(s)\n{"tool_calls": []}',
    ],
    [
      'Open WebUI: an emoji',
      "Your task is to reflect the speaker's likely facial expression through a fitting emoji.",
    ],
    [
      'LibreChat: a title',
      'Provide a concise, 5-word-or-less title for the conversation, using its same language, with no punctuation. Apply title case conventions appropriate for the language. Never directly mention the language name or the word "title" and only return the title itself.\n\nConversation:\nUser: hi',
    ],
    [
      'LibreChat: a structured title',
      'Analyze this conversation and provide:\n1. The detected language of the conversation\n2. A concise title in the detected language (5 words or less, no punctuation or quotation)\n\nUser: hi',
    ],
    [
      'Continue: a title',
      'Given the following... please reply with a title for the chat that is 3-4 words in length, all words used should be directly related\n\nShould we hire?',
    ],
    [
      'NextChat: a title',
      'Please generate a four to five word title summarizing our conversation without any lead-in, punctuation',
    ],
    [
      'Goose: a name',
      'Here are the first few user messages:\nhello\n\nBased on the conversation so far, provide a concise description of this session in 4 words or less.',
    ],
    [
      'Zed: a title',
      'Generate a concise 3-7 word title for this conversation, omitting punctuation.\nGo straight to the title',
    ],
    [
      'Zed: a summary',
      'Generate a detailed summary of this conversation. Include:\n1. A brief overview of what was discussed',
    ],
    [
      'Jan: a title',
      'Summarize in a 10-word Title. Give the title only. Here is the message: "Should we hire?"',
    ],
  ])('%s', (_program, text) => {
    expect(isSideTask([said('user', text)])).toBe(true);
    expect(isSideTask([said('instructions', 'You help.'), said('user', text)])).toBe(true);
  });

  test.each([
    [
      'OpenCode',
      'You are a title generator. You output ONLY a thread title. Nothing else.\n\n<task>',
    ],
    [
      'Crush',
      'you will generate a short title based on the first message a user begins a conversation with',
    ],
    [
      'LobeChat',
      'You are a professional conversation summarizer. Generate a concise title that captures the essence',
    ],
    [
      'VS Code',
      'You are an expert in crafting ultra-compact titles for chatbot conversations. You are presented',
    ],
  ])('also where a title stands in the instructions: %s', (_program, text) => {
    expect(isSideTask([said('instructions', text), said('user', 'Should we hire?')])).toBe(true);
  });

  test('also where the task stands in the instructions', () => {
    const naming =
      'Summarize the given session as a 10-word title using user language, ignoring commands';
    expect(isSideTask([said('instructions', naming), said('user', 'Should we hire?')])).toBe(true);
    const commit =
      'You are an expert software engineer that generates concise, \none-line Git commit messages based on the provided diffs.';
    expect(isSideTask([said('instructions', commit), said('user', '# Diffs:\n+1')])).toBe(true);
  });
});

describe('what people ask is none', () => {
  test.each([
    [
      'a question with documents, as Open WebUI sends it',
      '### Task:\nRespond to the user query using the provided context, incorporating inline citations in the format [id]\n### Guidelines:\n- …\n<context>a report</context>\nShould we hire?',
    ],
    ['a question about a title', 'Generate a concise title for my novel about a lighthouse.'],
    ['a task of one’s own', '### Task:\nWrite a plan for the launch.'],
    [
      'a question that quotes such a prompt',
      `Why does this prompt work so badly?\n\n### Task:\nGenerate a concise title summarizing the chat history.\n${history}`,
    ],
    ['a summary', 'Summarize the conversation so far, please.'],
  ])('%s', (_what, text) => {
    expect(isSideTask([said('user', text)])).toBe(false);
  });

  test('a question after a side task', () => {
    const title = `### Task:\nGenerate a concise title\n${history}`;
    const messages = [said('user', title), said('assistant', 'Hiring'), said('user', 'And why?')];
    expect(isSideTask(messages)).toBe(false);
  });
});
