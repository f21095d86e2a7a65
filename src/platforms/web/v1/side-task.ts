/**
 * Recognises the small tasks that chat programs send to the same model: titles, tags, suggested questions.
 * A single model call does them; they need no council.
 */

import type { SentMessage } from './requests.ts';

/**
 * Patterns of known programs' prompts; all patterns of a list must match. None matches what a person may write or
 * what accompanies a real question: Open WebUI’s prompt for documents begins with `### Task:` too.
 */
const prompts: readonly (readonly RegExp[])[] = [
  // Open WebUI: titles, tags, follow-ups, search queries, image prompts.
  [
    /^### Task:\s*(?:Generate a|Generate 1-3 broad tags|Suggest 3-5|Analyze the chat history|Detect the language of|Enhance the given)/i,
    /<chat_history>|### Prompt:/,
  ],
  // Open WebUI: autocompletion.
  [/^### Task:\s*You are an autocompletion system/i, /<text>/],
  // Open WebUI: choice of its own tools, and an emoji for a message.
  [/^Available Tools: /, /tool_calls/],
  [/^Your task is to (?:choose and return|reflect the speaker['’]s likely facial expression)/i],
  // LibreChat: titles of its agents, with and without a language, and of its older endpoints.
  [/5-word-or-less title for the conversation/i, /return the title itself/i],
  [/^Analyze this conversation and provide:/i, /title in the detected language/i],
  [/generate a concise title \(max 40 characters\) for a conversation/i],
  // LibreChat: summaries of long conversations.
  [/^Summarize the conversation by integrating new lines into the current summary/i],
  // Continue, Cherry Studio, NextChat, Chatbox, n8n, Goose: titles.
  [/^Given the following\b.{0,80}please reply with a title for the chat that is 3-4 words/is],
  [/^Summarize the given session as a 10-word title/i],
  [/^Please generate a four to five word title summarizing our conversation/i],
  [/^Based on the chat history, give this conversation a name/i],
  [/^Generate a concise, descriptive title for this conversation based on/i],
  [/provide a concise description of this session in [34] words or less/i],
  // Zed, Jan, OpenCode, Crush, LobeChat, VS Code: titles, and Zed's summaries.
  [/^Generate a concise 3-7 word title for this conversation, omitting punctuation/i],
  [/^Generate a detailed summary of this conversation\. Include:\s+1\. A brief overview/i],
  [/^Summarize in a \d{1,2}-word title\. Give the title only/i],
  [/^You are a title generator\. You output only a\b/i],
  [/^(?:- )?You will generate a short title based on the first message a user begins/i],
  [/^You are a professional conversation summarizer\. Generate a concise title/i],
  [/^You are an expert in crafting (?:ultra-compact|pithy) titles for chatbot conversations/i],
  // aider: commit messages, and summaries of its older conversation.
  [/^You are an expert software engineer that generates concise,\s+one-line Git commit messages/i],
  [/^\*Briefly\* summarize this partial conversation about programming/i],
];

/** How many characters are checked: the prompt comes first, perhaps followed by a whole conversation. */
const checkedChars = 12_000;

/** Whether a conversation is such a task. Checks only the instructions and the last message of the user. */
export function isSideTask(messages: readonly SentMessage[]): boolean {
  const last = messages.findLast(({ by }) => by === 'user');
  const instructions = messages.filter(({ by }) => by === 'instructions');
  // Longer requests are conversations: a task quotes the conversation in a request of its own.
  const texts = [last, ...(messages.length <= 3 ? instructions : [])].flatMap((message) =>
    message ? [message.text.trimStart().slice(0, checkedChars)] : [],
  );
  return prompts.some((all) => texts.some((text) => all.every((one) => one.test(text))));
}
