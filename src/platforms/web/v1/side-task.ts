/**
 * Small tasks that chat programs give to the same model besides what people ask: a title, tags, what could be
 * asked next. One call does each; a council would be seated for nothing.
 */

import type { SentMessage } from './requests.ts';

/**
 * What the prompts of known programs have in common, each list whole. A prompt that a person may have written
 * is not among them, and neither is what comes with a real question: Open WebUI’s prompt for documents begins
 * with `### Task:` too.
 */
const prompts: readonly (readonly RegExp[])[] = [
  // Open WebUI: title, tags, follow-ups, search queries, prompts for pictures.
  [
    /^### Task:\s*(?:Generate a|Generate 1-3 broad tags|Suggest 3-5|Analyze the chat history|Detect the language of|Enhance the given)/i,
    /<chat_history>|### Prompt:/,
  ],
  // Open WebUI: what may be typed next.
  [/^### Task:\s*You are an autocompletion system/i, /<text>/],
  // Open WebUI: which of its own tools fit, and the face to a message.
  [/^Available Tools: /, /tool_calls/],
  [/^Your task is to (?:choose and return|reflect the speaker['’]s likely facial expression)/i],
  // LibreChat: titles of its agents, with and without a language, and of its older endpoints.
  [/5-word-or-less title for the conversation/i, /return the title itself/i],
  [/^Analyze this conversation and provide:/i, /title in the detected language/i],
  [/generate a concise title \(max 40 characters\) for a conversation/i],
  // LibreChat: what is too long, in short.
  [/^Summarize the conversation by integrating new lines into the current summary/i],
  // Continue, Cherry Studio, NextChat, Chatbox, n8n, Goose: titles.
  [/^Given the following\b.{0,80}please reply with a title for the chat that is 3-4 words/is],
  [/^Summarize the given session as a 10-word title/i],
  [/^Please generate a four to five word title summarizing our conversation/i],
  [/^Based on the chat history, give this conversation a name/i],
  [/^Generate a concise, descriptive title for this conversation based on/i],
  [/provide a concise description of this session in [34] words or less/i],
  // aider: messages of commits, and its older talk in short.
  [/^You are an expert software engineer that generates concise,\s+one-line Git commit messages/i],
  [/^\*Briefly\* summarize this partial conversation about programming/i],
];

/** Where a prompt of a program stands is at its beginning; what is behind may be a whole conversation. */
const head = 12_000;

/** Whether a conversation asks for such a task. Only its instructions and what was said last are looked at. */
export function isSideTask(messages: readonly SentMessage[]): boolean {
  const last = messages.findLast(({ by }) => by === 'user');
  const instructions = messages.filter(({ by }) => by === 'instructions');
  // A title is asked of a conversation that is quoted, by a request of its own.
  const texts = [last, ...(messages.length <= 3 ? instructions : [])].flatMap((message) =>
    message ? [message.text.trimStart().slice(0, head)] : [],
  );
  return prompts.some((all) => texts.some((text) => all.every((one) => one.test(text))));
}
