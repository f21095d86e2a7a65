/** The task `try-live`: tries in a test channel what Discord and Slack take of the bot, and says what to do about the rest. */

import type { Writable } from 'node:stream';
import { recordedEvents } from '../../council/recording.ts';
import { runTurn } from '../../council/turn.ts';
import { noModel } from '../../models/chat-model.ts';
import {
  type TrialTurn,
  type TriedPlatform,
  tryPlatform,
} from '../../platforms/chat/live/trial.ts';
import { goneDeeper, inFull } from '../../platforms/chat/live/whole-council.ts';
import type { PacingLimits } from '../../platforms/chat/pacing/call-ledger.ts';
import { paletteFor } from '../../platforms/terminal/page.ts';
import { atReadingSpeed, type Pauses } from '../../platforms/terminal/recorded-councils.ts';
import { defaultSettings } from '../../settings/channel-settings.ts';
import { ConfigError } from '../../settings/config-source.ts';
import { councilOf } from '../application.ts';
import { type ChosenModels, chooseModels, createModelOpener } from '../open-models.ts';
import { discordVariable, ownPictureIn } from '../platforms.ts';
import { readRecording } from '../recordings.ts';
import { openLog, type Surroundings } from '../session.ts';
import type { TrialChannels } from './task.ts';

interface World extends Pick<Surroundings, 'config' | 'colour' | 'ending' | 'onInterrupt'> {
  readonly output: Writable;
  readonly errors: Writable;
}

/** How fast it goes. */
export interface TrialPace {
  /** Of the recorded council; absent: those of a reader, as a model's words come about as fast. */
  readonly pauses?: Pauses;
  /** Absent: what the platforms are known to allow. */
  readonly limits?: PacingLimits;
}

const shortQuestion = 'Is it better to begin a day with its hardest task or with its easiest?';
const quick: Pauses = { word: 5, step: 100 };

/**
 * Ends in order at Ctrl-C: what was posted is deleted first.
 *
 * @returns 0 when it was held to its end and nothing was refused, else 1.
 */
export async function tryLive(
  around: World,
  channels: TrialChannels,
  { pauses, limits }: TrialPace = {},
): Promise<number> {
  const { config, output, ending } = around;
  const palette = paletteFor(around.colour);
  const marks = {
    works: palette.good('✓'),
    refused: palette.bad('✗'),
    untried: palette.quiet('–'),
  };
  around.onInterrupt(() => output.write('Stopping, and deleting what was posted …\n'));
  const chosenModels = await chooseModels(config, ending);
  const turns = turnsOf(around, chosenModels, pauses);
  let refused = 0;
  for (const [name, platform] of await platformsIn(around, channels, limits)) {
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

/** A recorded council as a live one, the same without charts and said plainly, and a real question where a model is set up. */
function turnsOf(
  around: World,
  chosenModels: ChosenModels,
  pauses: Pauses | undefined,
): readonly TrialTurn[] {
  const recorded = readRecording('father');
  const { question } = recorded.request;
  const events = inFull(recordedEvents(recorded));
  const recording = { question, name: 'a recorded council' };
  return [
    {
      ...{ ...recording, refusing: 'nothing' },
      events: (_, signal) => atReadingSpeed(events, signal, pauses),
    },
    {
      ...{
        ...recording,
        name: 'the same gone into deeper, with charts refused',
        refusing: 'charts',
      },
      events: (_, signal) => atReadingSpeed(goneDeeper(events), signal, quick),
    },
    {
      ...{ ...recording, name: 'the same, with all that has a plainer form refused' },
      ...{ refusing: 'forms', events: (_, signal) => atReadingSpeed(events, signal, quick) },
    },
    ...(chosenModels.names.moderator === noModel ? [] : [realTurn(around, chosenModels)]),
  ];
}

function realTurn(around: World, chosenModels: ChosenModels): TrialTurn {
  const { config } = around;
  const { names } = chosenModels;
  const open = createModelOpener(config, chosenModels, () => undefined, openLog(around, true));
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
        ...{ request, council, signal, models: open(() => undefined, choice) },
        context: { forSages: [], forChair: [] },
      }),
  };
}

/** @throws {ConfigError} when a token is missing. */
async function platformsIn(
  around: World,
  { discord, slack }: TrialChannels,
  limits: PacingLimits | undefined,
): Promise<readonly (readonly [string, TriedPlatform])[]> {
  const { settings, secrets, pictures } = around.config;
  const log = openLog(around, true);
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
    const { SlackTrial } = await import('../../platforms/slack/slack-trial.ts');
    const { apiUrl } = settings.slack;
    platforms.push(['Slack', new SlackTrial({ botToken, channel: slack, log, apiUrl, ...pace })]);
  }
  return platforms;
}
