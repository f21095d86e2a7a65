import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { answerJson, type RawAnswer, startRawModelServer } from '../../fakes/raw-model-server.ts';
import { fallbackSage, projectWith } from '../../settings/config-folder.ts';
import { says, useful } from '../server-behaviours.ts';

export const rightKey = 'sk-right-0123456789';

/** Lists an embedding model first, and takes one key alone. */
const provider: RawAnswer = (request, response) => {
  const models = {
    data: ['text-embedding-3-small', 'gpt-5-mini', 'gpt-5.1'].map((id) => ({ id })),
  };
  if (request.path.endsWith('/models')) return answerJson(models)(request, response);
  const isRight = request.headers.authorization === `Bearer ${rightKey}`;
  if (!isRight) return answerJson({ error: { message: 'no' } }, 401)(request, response);
  return says(useful)(request, response);
};

interface Given {
  readonly council?: string;
  readonly env?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A project whose OpenAI, Discord and Slack are on loopback, and where nothing else listens. */
export async function openProject({ council = '', env = '', environment = {} }: Given = {}) {
  const server = await startRawModelServer(provider);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const nowhere = ['ollama', 'lmstudio', 'llamacpp', 'vllm'].map(
    (name) => `    ${name}: { baseUrl: "http://127.0.0.1:1/${name}" }`,
  );
  const yaml = [
    ...['# mine', council || 'models:', '  providers: # kept', ...nowhere],
    `    openai: { baseUrl: "${server.baseUrl}" } # on loopback`,
    '',
  ];
  const project = projectWith({
    ...fallbackSage,
    'config/sages/ada.md': '---\nname: Ada\ndescription: Sees things.\n---\n',
    'config/council.yaml': yaml.join('\n'),
    ...(env === '' ? {} : { '.env': env }),
  });
  const places = { directory: join(project, 'config'), environment };
  return { project, places, server };
}

export type Project = Awaited<ReturnType<typeof openProject>>;

/** Everything in the files, by path. */
export function filesOf({ project }: Project) {
  const names = readdirSync(project, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(project, name)).isFile(),
  );
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(project, name), 'utf8')]));
}
