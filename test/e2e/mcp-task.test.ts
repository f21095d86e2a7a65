import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { projectRoot } from './council-process.ts';
import { startRehearsedModels } from './rehearsed-models.ts';
import { temporaryProject } from './temporary-project.ts';

test('a program starts the council and asks it over standard input and output', async () => {
  const { settings } = await startRehearsedModels();
  const folder = temporaryProject(settings);
  const { NODE_COMPILE_CACHE = '' } = process.env;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [`${projectRoot}src/index.ts`, '--config', `${folder}/config`, 'mcp'],
    cwd: folder,
    env: { HOME: folder, NODE_COMPILE_CACHE },
    stderr: 'ignore',
  });
  const client = new Client({ name: 'a test', version: '1' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const { content } = await client.callTool({
    name: 'consult_council',
    arguments: { question: 'Should we rewrite it?', depth: 'quick' },
  });
  expect(content).toMatchObject([{ type: 'text', text: expect.stringMatching(/^# Verdict\n/) }]);
});
