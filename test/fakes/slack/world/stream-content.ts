import type { Chunk } from '../schema/chunks.ts';
import type { Json } from './records.ts';

/** How a stream shows its tasks: among the text, or together in a plan before it. */
export type TaskDisplay = 'timeline' | 'plan';

/** What a stream has shown so far, put together from its chunks. */
export function streamContent(chunks: readonly Chunk[], display: TaskDisplay) {
  const blocks: Json[] = [];
  const text: string[] = [];
  let title = 'Plan';
  for (const chunk of chunks) {
    switch (chunk.type) {
      case 'markdown_text':
        text.push(chunk.text);
        appendMarkdown(blocks, chunk.text);
        break;
      case 'plan_update':
        title = chunk.title;
        break;
      case 'blocks':
        blocks.push(...chunk.blocks);
        break;
      default:
        putTask(blocks, taskCard(chunk));
    }
  }
  return { text: text.join(''), blocks: display === 'plan' ? planned(blocks, title) : blocks };
}

function appendMarkdown(blocks: Json[], text: string): void {
  const last = blocks.at(-1);
  if (last?.type === 'markdown') {
    blocks[blocks.length - 1] = { ...last, text: `${String(last.text)}${text}` };
  } else if (text !== '') {
    blocks.push({ type: 'markdown', text });
  }
}

/** A task that is known changes where it stands. */
function putTask(blocks: Json[], card: Json): void {
  const index = blocks.findIndex(({ task_id: id }) => id === card.task_id);
  if (index === -1) blocks.push(card);
  else blocks[index] = { ...blocks[index], ...card };
}

function taskCard({
  id,
  title,
  status,
  details,
  output,
  sources,
}: Chunk & { type: 'task_update' }): Json {
  return {
    type: 'task_card',
    task_id: id,
    title,
    status,
    ...(details !== undefined && { details: paragraph(details) }),
    ...(output !== undefined && { output: paragraph(output) }),
    ...(sources !== undefined && { sources }),
  };
}

function paragraph(text: string): Json {
  const section = { type: 'rich_text_section', elements: [{ type: 'text', text }] };
  return { type: 'rich_text', elements: [section] };
}

function planned(blocks: readonly Json[], title: string): Json[] {
  const tasks = blocks.filter(({ type }) => type === 'task_card');
  const others = blocks.filter(({ type }) => type !== 'task_card');
  return tasks.length === 0 ? others : [{ type: 'plan', title, tasks }, ...others];
}
