import { onTestFinished } from 'vitest';
import { startCountedModels } from '../chaos/counted-models.ts';
import { type LogLine, Program, type ProgramOptions } from '../chaos/program.ts';
import { seededRandom } from '../chaos/random.ts';
import { startWorld } from '../fakes/discord/connected-client.ts';
import { startRedisServer } from '../fakes/redis-server.ts';
import { temporaryProject } from './temporary-project.ts';

/**
 * Everything around processes that work together; `start` starts one.
 *
 * @param latencyMs - Of a model's reply.
 * @param settings - Of all processes; `start` takes further ones of a process of its own.
 */
export async function startFleetWorld(latencyMs: number, settings: object = {}) {
  const world = await startWorld();
  const models = await startCountedModels(seededRandom(1), [latencyMs, latencyMs]);
  // With `everysec`, a server on a busy disk puts off writing for up to 2 s, and a kill loses that.
  const settingsOfRedis = { appendonly: 'yes', appendfsync: 'always' };
  const redis = await startRedisServer({ settings: settingsOfRedis });
  const programs: Program[] = [];
  onTestFinished(async () => {
    await Promise.all(programs.map((program) => program.end('SIGKILL')));
    await redis.remove();
    await models[Symbol.asyncDispose]();
    await world.discord.close();
  });
  const common = { ...models.settings, discord: { apiUrl: world.discord.api }, ...settings };
  const shared = temporaryProject(common);
  const lines: LogLine[] = [];
  async function start(
    role: ProgramOptions['role'],
    environment: Readonly<Record<string, string>> = {},
    own: object = {},
  ): Promise<Program> {
    const folder = Object.keys(own).length > 0 ? temporaryProject({ ...common, ...own }) : shared;
    const program = new Program({
      folder,
      role,
      environment: {
        REDIS_URL: redis.url,
        DISCORD_TOKEN: world.discord.token,
        ...environment,
      },
      onLine: (line) => lines.push(line),
    });
    programs.push(program);
    await program.start();
    if (program.isGone) throw new Error(program.said);
    return program;
  }
  const runners = () => lines.flatMap(({ msg, pid }) => (msg === 'turn begun' ? [pid] : []));
  return { ...world, models, redis, lines, start, runners };
}
