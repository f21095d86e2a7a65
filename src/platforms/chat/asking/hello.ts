/** What people read when the council is added to where they talk. */

import { type Reply, textReply } from '../../../../commands/command.ts';

/** @param where - The platform's word for what it was added to. */
export function hello(where: 'server' | 'channel'): Reply {
  const text = [
    '**Hello, I’m Council.** Ask me a question, and several AI sages each give you their own answer. They review one another without knowing who wrote what, and a chair sums it all up in one verdict.',
    [
      '- **Ask:** `/council ask` and your question, or mention me with it. I answer in a thread.',
      '- **Everything I can do:** `/council help`',
      `- **Settings:** people who manage this ${where} choose the sages, the depth and the budget with \`/council config\`.`,
    ].join('\n'),
  ];
  return { ...textReply(text.join('\n\n')), isPrivate: false };
}
