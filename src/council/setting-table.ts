/** Every setting that a channel or a server may have of its own: name, sentence, unit and range. */

import type { Depth } from '../domain/asking.ts';
import type { FollowUpMode, Sage } from './council.ts';
import type { SettingChoice, SettingField, SettingScope } from './setting-field.ts';
import {
  limitFrom,
  type NumberRange,
  numberFrom,
  oneOf,
  peopleUpTo,
  type SettingKind,
  severalOf,
  wordsOf,
  yesOrNo,
} from './setting-kinds.ts';

/** The settings of a channel, all filled in. */
export interface ChannelSettings {
  /** `moderated`, or the keys of the sages that always sit. */
  readonly seats: 'moderated' | readonly string[];
  /** Keys of the sages that may sit. */
  readonly bench: 'all' | readonly string[];
  /** Also decides about reviews: `quick` holds none. */
  readonly depth: Depth;
  /** 0 allows none. */
  readonly maxDynamicSages: number;
  /** `provider:model`. */
  readonly moderatorModel: string;
  /** `provider:model` for every sage; `own`: the one that the operator gave each of them. */
  readonly sageModel: string;
  /** `provider:model` for every review; `own`: the operator's for reviews, else the one the sage speaks with. */
  readonly reviewerModel: string;
  /** `provider:model`. */
  readonly chairModel: string;
  /** `auto`: the question's own. */
  readonly language: string;
  readonly followUpMode: FollowUpMode;
  readonly channelUsdPerDay: number | 'unlimited';
  /** Of one person in this channel. */
  readonly questionsPerUserPerHour: number | 'unlimited';
  /** Whether earlier questions of a thread are recalled. */
  readonly memory: boolean;
  /** Ids of people who may manage this channel, beside those whom the platform and the server let. */
  readonly managers: 'nobody' | readonly string[];
  /** How far what is recalled may come from. */
  readonly memoryReach: MemoryReach;
  /** How the last questions are shown: each answer in short, or as it was given. */
  readonly history: HistoryForm;
  /**
   * Days that what was said is kept. Of a whole server alone, whose store goes by it: see
   * `src/store/retention.ts`.
   */
  readonly retentionDays: number | 'unlimited';
  /** Whether a question goes from memory with its message, and what is in a thread or channel with that. */
  readonly forgetDeleted: boolean;
}
export type MemoryReach = 'thread' | 'channel' | 'workspace';
export type HistoryForm = 'summaries' | 'full';
export type SettingName = keyof ChannelSettings;

/** What a value is judged by. */
export interface KnownHere {
  /** Who could sit: the predefined sages, and in a channel its custom ones. */
  readonly sages: readonly Sage[];
  /** `provider:model` of all that the operator has set up. */
  readonly models: readonly string[];
  readonly maxSages: number;
  /**
   * What holds where nobody has set anything. Some of its values also bound what may be set, because
   * the operator pays and answers for them: no channel spends or asks more than it says, or remembers
   * where it does not, and no server keeps what was said for longer.
   */
  readonly file: ChannelSettings;
}

interface SettingDefinition<Value> extends Pick<SettingField, 'label' | 'description'> {
  /** Why no channel has it for itself, for people; absent: a channel may have its own. */
  readonly whyOfServer?: string;
  readonly kind: (known: KnownHere) => SettingKind<Value>;
}

const mostDynamicSages = 4;
const mostUsdPerDay = 10_000;
const mostQuestionsPerHour = 1000;
const mostManagers = 25;
/** A century; the operator's own may be as long. */
const mostRetentionDays = 36_500;

/** By name, in the order in which they are shown. */
export const settingTable: {
  readonly [Name in SettingName]: SettingDefinition<ChannelSettings[Name]>;
} = {
  seats: {
    label: 'Seats',
    description:
      'Who sits. moderated: a moderator picks the sages that fit each question. Otherwise these sages always sit.',
    kind: ({ sages, maxSages }) =>
      severalOf(sages.map(choiceOf), { most: maxSages, whenNone: 'moderated' }),
  },
  bench: {
    label: 'Bench',
    description: 'Who may sit, be addressed and be picked by the moderator. all: every sage here.',
    kind: ({ sages }) => severalOf(sages.map(choiceOf), { most: sages.length, whenNone: 'all' }),
  },
  depth: {
    label: 'Depth',
    description:
      'How far a question goes unless the person who asks says otherwise. Reviews are part of standard and not of quick.',
    kind: () =>
      oneOf([
        { value: 'quick', label: 'Quick', description: 'Answers and a verdict, no reviews' },
        {
          value: 'standard',
          label: 'Standard',
          description: 'Answers, blind reviews and a verdict',
        },
      ]),
  },
  maxDynamicSages: {
    label: 'Invented sages',
    description:
      'How many sages the moderator may invent for one question; 0 allows none. Of use only while the seats are moderated.',
    kind: ({ maxSages }) =>
      numberFrom({
        minimum: 0,
        maximum: Math.min(mostDynamicSages, maxSages),
        isWhole: true,
        unit: 'sages',
      }),
  },
  moderatorModel: {
    label: 'Model of the moderator',
    description: 'Which model seats the sages, as provider:model.',
    kind: ({ models }) => oneOf(models.map(modelChoice)),
  },
  sageModel: {
    label: 'Model of the sages',
    description:
      'Which model speaks for all sages, as provider:model. own: each has the one that the operator gave it.',
    kind: ({ models }) =>
      oneOf([ownModel('As the operator set for each'), ...models.map(modelChoice)]),
  },
  reviewerModel: {
    label: 'Model of the reviews',
    description:
      'Which model writes all reviews, as provider:model. own: the operator’s for reviews, else each sage’s.',
    kind: ({ models }) =>
      oneOf([ownModel('As the operator set, else the sage’s'), ...models.map(modelChoice)]),
  },
  chairModel: {
    label: 'Model of the chair',
    description: 'Which model writes the verdict, as provider:model.',
    kind: ({ models }) => oneOf(models.map(modelChoice)),
  },
  language: {
    label: 'Language',
    description: "The language of all that is said, e.g. German. auto: the question's own.",
    kind: () =>
      wordsOf(/^\p{L}[\p{L}\p{M} ()'’-]*$/u, {
        maxChars: 40,
        whenNone: 'auto',
        expected: 'the name of a language in at most 40 letters, e.g. German',
      }),
  },
  followUpMode: {
    label: 'Follow-ups',
    description: 'What begins the next question in a thread of the council.',
    kind: () =>
      oneOf(
        [
          {
            value: 'asked',
            label: 'Questions',
            description: 'A message that mentions the council, or ends as a question for it',
          },
          {
            value: 'mention',
            label: 'Mentions',
            description: 'A message that mentions the council',
          },
          {
            value: 'everything',
            label: 'Everything',
            description: 'All but thanks, greetings, laughter, emoji and bare links',
          },
        ],
        { every_message: 'everything' },
      ),
  },
  channelUsdPerDay: {
    label: 'Budget of the channel',
    description: 'What one channel may spend in a day (UTC), in US dollars.',
    kind: ({ file }) =>
      limitedBy(file.channelUsdPerDay, {
        minimum: 0.01,
        maximum: mostUsdPerDay,
        isWhole: false,
        unit: 'US dollars a day',
      }),
  },
  questionsPerUserPerHour: {
    label: 'Questions of one person',
    description:
      'How many questions one person may ask in a channel within an hour, drafts of sages and minutes included.',
    kind: ({ file }) =>
      limitedBy(file.questionsPerUserPerHour, {
        minimum: 1,
        maximum: mostQuestionsPerHour,
        isWhole: true,
        unit: 'questions an hour',
      }),
  },
  memory: {
    label: 'Memory',
    description: 'Whether the council recalls the earlier questions of a thread.',
    kind: ({ file }) =>
      yesOrNo(
        file.memory
          ? undefined
          : 'The operator has switched memory off for every channel (memory.interactions is 0).',
      ),
  },
  managers: {
    label: 'Managers',
    description:
      'Who may change these settings and stop any question, besides those whom the platform lets. Those named for a whole server manage every channel of it.',
    kind: () => peopleUpTo(mostManagers, 'nobody'),
  },
  memoryReach: {
    label: 'Reach of memory',
    description:
      'How far what is recalled may come from. What was said in a private channel never leaves it.',
    kind: () =>
      oneOf([
        { value: 'thread', label: 'Thread', description: 'What was said in the same thread' },
        { value: 'channel', label: 'Channel', description: 'All threads of the channel' },
        {
          value: 'workspace',
          label: 'Everywhere',
          description: 'Also other channels that everybody can read',
        },
      ]),
  },
  history: {
    label: 'History',
    description:
      'How the last questions of a thread are shown to the sages. full costs more, and shortens what is long ago.',
    kind: () =>
      oneOf([
        { value: 'summaries', label: 'Summaries', description: 'Each answer in short' },
        { value: 'full', label: 'Full', description: 'Each answer as it was given' },
      ]),
  },
  retentionDays: {
    label: 'Retention',
    description:
      'Days that what was said here is kept; counts at once. A longer time brings back only what is not deleted yet.',
    whyOfServer: 'What was said is kept for as long in all channels.',
    kind: ({ file }) =>
      limitedBy(file.retentionDays, {
        minimum: 1,
        maximum: mostRetentionDays,
        isWhole: true,
        unit: 'days',
        whyNoMore: 'The operator keeps nothing for longer (memory.retentionDays)',
      }),
  },
  forgetDeleted: {
    label: 'Forget what is deleted',
    description:
      'Whether the council forgets a question whose message is deleted, with all that came of it, and all of a thread or channel that is deleted.',
    kind: () => yesOrNo(),
  },
};

/** In the order in which they are shown. */
export const settingNames = Object.keys(settingTable).filter(isSettingName);

/** The settings of one scope, in the order in which they are shown: some are of a whole server alone. */
export function settingNamesOf(scope: SettingScope): readonly SettingName[] {
  return settingNames.filter(
    (name) => scope === 'server' || settingTable[name].whyOfServer === undefined,
  );
}

/** Whether a word is the name of a setting. */
export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settingTable, name);
}

function choiceOf({ key, name, description }: Sage) {
  return { value: key, label: name, description };
}

function modelChoice(model: string): { readonly value: string; readonly label: string } {
  return { value: model, label: model };
}

function ownModel(description: string): SettingChoice {
  return { value: 'own', label: 'Own', description };
}

/** What the operator has limited can be limited further, not raised. */
function limitedBy(
  ofFile: number | 'unlimited',
  { whyNoMore, ...range }: NumberRange & { readonly whyNoMore?: string },
): SettingKind<number | 'unlimited'> {
  if (ofFile === 'unlimited') return limitFrom(range, 'unlimited', true);
  const minimum = Math.min(range.minimum, ofFile);
  return limitFrom({ ...range, minimum, maximum: ofFile }, 'unlimited', false, whyNoMore);
}
