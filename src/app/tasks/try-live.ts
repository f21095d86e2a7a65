/** The task `try-live`: posts everything the bot can post in a test channel, and reports what Discord or Slack refuses. */

import { recordedEvents } from '../../council/recording.ts';
import { runTurn } from '../../council/turn.ts';
import { noModel } from '../../models/chat-model.ts';
import {
  type TrialTurn,
  type TriedPlatform,
  tryPlatform,
} from '../../platforms/chat/live/trial.ts';
import { inFull } from '../../platforms/chat/live/whole-council.ts';
import type { PacingLimits } from '../../platforms/chat/pacing/call-ledger.ts';
import { paletteFor } from '../../platforms/terminal/page.ts';
import { atReadingSpeed, type Pauses } from '../../platforms/terminal/recorded-councils.ts';
import { defaultSettings } from '../../settings/channel-settings.ts';
import { ConfigError } from '../../settings/config-source.ts';
import { discordVariable } from '../../settings/environment.ts';
import { councilOf } from '../models.ts';
import { type ChosenModels, chooseModels, createModelOpener } from '../open-models.ts';
import { openLog } from '../operator/log.ts';
import { ownPictureIn } from '../platforms.ts';
import { readRecording } from '../recordings.ts';
import type { TaskContext, TrialChannels } from './task.ts';

type TrialContext = Pick<
  TaskContext,
  'config' | 'colour' | 'ending' | 'errors' | 'onInterrupt' | 'output'
>;

export interface TrialPace {
  /** Pauses of the recorded council. Default: reading speed, which is about that of a model. */
  readonly pauses?: Pauses;
  /** Default: the known limits of the platforms. */
  readonly limits?: PacingLimits;
}

const shortQuestion = 'Is it better to begin a day with its hardest task or with its easiest?';
const quickPauses: Pauses = { word: 5, step: 100 };

/**
 * Runs the trials. On Ctrl-C, deletes its posts first.
 *
 * @returns 0 if all trials finished and nothing was refused, else 1.
 */
export async function tryLive(
  context: TrialContext,
  channels: TrialChannels,
  { pauses, limits }: TrialPace = {},
): Promise<number> {
  const { config, output, ending } = context;
  const palette = paletteFor(context.colour);
  const marks = {
    works: palette.good('✓'),
    refused: palette.bad('✗'),
    untried: palette.quiet('–'),
  };
  context.onInterrupt(() => output.write('Stopping, and deleting what was posted …\n'));
  const chosenModels = await chooseModels(config, ending);
  const turns = turnsOf(context, chosenModels, pauses);
  let refused = 0;
  for (const [name, platform] of await platformsIn(context, channels, limits)) {
    if (ending.aborted) break;
    output.write(`${palette.strong(name)}\n`);
    for await (const finding of tryPlatform(platform, turns, ending)) {
      if (finding.outcome === 'refused') refused += 1;
      output.write(`${marks[finding.outcome]} ${finding.name}: ${finding.text}\n`);
    }
    output.write('\n');
  }
  if (ending.aborted) return 1;
  const things = refused === 1 ? 'One thing was' : `${refused} things were`;
  output.write(refused === 0 ? 'Nothing was refused.\n' : `${things} refused.\n`);
  return refused === 0 ? 0 : 1;
}

/** A recorded council three times (in full, without charts, in plain forms), and a real question if there is a model. */
function turnsOf(
  context: TrialContext,
  chosenModels: ChosenModels,
  pauses: Pauses | undefined,
): readonly TrialTurn[] {
  const recorded = inFull(readRecording('father'));
  const { question, turnId: deepens } = recorded.request;
  const events = recordedEvents(recorded);
  const deeper = recordedEvents({ ...recorded, request: { ...recorded.request, deepens } });
  const replay = (told = events, pace: Pauses | undefined = quickPauses) => ({
    events: (_: unknown, signal: AbortSignal) => atReadingSpeed(told, signal, pace),
  });
  const deep = 'the same with a deep round and charts refused';
  const plain = 'the same with everything refused that has a plainer form';
  return [
    { question, name: 'a recorded council', refusing: 'nothing', ...replay(events, pauses) },
    { question, name: deep, refusing: 'charts', ...replay(deeper) },
    { question, name: plain, refusing: 'forms', ...replay() },
    ...(chosenModels.names.moderator === noModel ? [] : [realTurn(context, chosenModels)]),
  ];
}

function realTurn(context: TrialContext, chosenModels: ChosenModels): TrialTurn {
  const { config } = context;
  const { names } = chosenModels;
  const open = createModelOpener(config, chosenModels, () => undefined, openLog(context, true));
  const choice = { ...defaultSettings(config.settings, names), workspace: 'trial' };
  const council = {
    ...councilOf(config),
    depth: 'quick',
    maxSages: 2,
    maxDynamicSages: 0,
  } as const;
  return {
    name: `a real question, answered by ${names.moderator}`,
    question: shortQuestion,
    refusing: 'nothing',
    events: (request, signal) =>
      runTurn({
        request,
        council,
        signal,
        models: open(() => undefined, choice),
        context: { forSages: [], forChair: [], forReviewers: [] },
      }),
  };
}

/** @throws {ConfigError} if a token is missing. */
async function platformsIn(
  context: TrialContext,
  { discord, slack }: TrialChannels,
  limits: PacingLimits | undefined,
): Promise<readonly (readonly [string, TriedPlatform])[]> {
  const { settings, secrets, pictures } = context.config;
  const log = openLog(context, true);
  const pace = limits ? { limits } : {};
  const token = secrets.get(discordVariable);
  const botToken = secrets.get('SLACK_BOT_TOKEN');
  const missing = [
    ...(discord && !token ? [discordVariable] : []),
    ...(slack && !botToken ? ['SLACK_BOT_TOKEN'] : []),
  ];
  if (missing.length > 0) {
    const text = 'is not set. Run `npm run council -- setup`, or put it in .env';
    throw new ConfigError(missing.map((setting) => ({ file: 'environment', setting, text })));
  }
  const platforms: (readonly [string, TriedPlatform])[] = [];
  if (discord && token) {
    const { DiscordTrial } = await import('../../platforms/discord/discord-trial.ts');
    const { apiUrl: api } = settings.discord;
    const ownPicture = ownPictureIn(pictures);
    platforms.push([
      'Discord',
      new DiscordTrial({ token, channel: discord, log, api, ownPicture, ...pace }),
    ]);
  }
  if (slack && botToken) {
    const { slackTrial } = await import('../../platforms/slack/slack-trial.ts');
    const { apiUrl } = settings.slack;
    platforms.push(['Slack', slackTrial({ botToken, channel: slack, log, apiUrl, ...pace })]);
  }
  return platforms;
}
