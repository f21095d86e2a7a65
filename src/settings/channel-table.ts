/**
 * Every setting that a channel or a server may have of its own. An entry is all that there is to
 * one: its words, its kind with unit and bounds, who may change it, and what the operator's files say.
 */

import {
  choice,
  limitFrom,
  type NumberRange,
  numberFrom,
  oneOf,
  peopleUpTo,
  type SettingKind,
  severalOf,
  wordsOf,
  yesOrNo,
} from './channel-kinds.ts';
import type { Settings } from './schema.ts';
import type { SettingField } from './setting-field.ts';

/** What a value is judged by, beside what the operator's files say of the setting itself. */
interface Surroundings {
  /** Who could sit: the predefined sages, and in a channel its custom ones. */
  readonly sages: readonly {
    readonly key: string;
    readonly name: string;
    readonly description: string;
  }[];
  /** `provider:model` of all that the operator has set up. */
  readonly models: readonly string[];
  readonly maxSages: number;
}

/** `provider:model` of what answers where a channel says nothing. */
interface StandardModels {
  readonly moderator: string;
  readonly chair: string;
}

/** An entry of the table. Server managers may change each setting; see `whyOfServer` for those of a channel. */
export interface SettingDefinition<Value> extends Pick<SettingField, 'label' | 'description'> {
  /** Why no channel has it for itself, for people; absent: a channel may have its own. */
  readonly whyOfServer?: string;
  /** What holds where nobody has set it. */
  readonly operators: (file: Settings, models: StandardModels) => Value;
  /**
   * @param operators - What holds where nobody has set it. It may also bound what may be set, because
   *   the operator pays and answers for it: no channel spends or asks more than it says, or remembers
   *   where it does not, and no server keeps what was said for longer.
   */
  readonly kind: (here: Surroundings, operators: Value) => SettingKind<Value>;
}

const mostDynamicSages = 4;
const mostUsdPerDay = 10_000;
const mostQuestionsPerHour = 1000;
const mostManagers = 25;
/** A century; the operator's own may be as long. */
const mostRetentionDays = 36_500;

/** By name, in the order in which they are shown. */
const table = {
  /** `moderated`, or the keys of the sages that always sit. */
  seats: setting<'moderated' | readonly string[]>({
    label: 'Seats',
    description:
      'Who sits. moderated: a moderator picks the sages that fit each question. Otherwise these sages always sit.',
    operators: ({ council }) => council.seats,
    kind: ({ sages, maxSages }) =>
      severalOf(sages.map(sageChoice), { most: maxSages, whenNone: 'moderated' }),
  }),
  /** Keys of the sages that may sit. */
  bench: setting<'all' | readonly string[]>({
    label: 'Bench',
    description: 'Who may sit, be addressed and be picked by the moderator. all: every sage here.',
    operators: () => 'all',
    kind: ({ sages }) => severalOf(sages.map(sageChoice), { most: sages.length, whenNone: 'all' }),
  }),
  /** Also decides about reviews: `quick` holds none. */
  depth: setting({
    label: 'Depth',
    description:
      'How far a question goes unless the person who asks says otherwise. Reviews are part of standard and not of quick.',
    operators: ({ council }) => council.depth,
    kind: () =>
      oneOf([
        choice('quick', 'Quick', 'Answers and a verdict, no reviews'),
        choice('standard', 'Standard', 'Answers, blind reviews and a verdict'),
      ]),
  }),
  maxDynamicSages: setting({
    label: 'Invented sages',
    description:
      'How many sages the moderator may invent for one question; 0 allows none. Of use only while the seats are moderated.',
    operators: ({ council }) => council.maxDynamicSages,
    kind: ({ maxSages }) =>
      numberFrom({
        minimum: 0,
        maximum: Math.min(mostDynamicSages, maxSages),
        isWhole: true,
        unit: 'sages',
      }),
  }),
  /** `provider:model`. */
  moderatorModel: setting({
    label: 'Model of the moderator',
    description: 'Which model seats the sages, as provider:model.',
    operators: (_, { moderator }) => moderator,
    kind: ({ models }) => oneOf(models.map(modelChoice)),
  }),
  /** `provider:model` for every sage; `own`: the one that the operator gave each of them. */
  sageModel: setting<string>({
    label: 'Model of the sages',
    description:
      'Which model speaks for all sages, as provider:model. own: each has the one that the operator gave it.',
    operators: () => 'own',
    kind: ({ models }) =>
      oneOf([choice('own', 'Own', 'As the operator set for each'), ...models.map(modelChoice)]),
  }),
  /** `provider:model` for every review; `own`: the operator's for reviews, else the one the sage speaks with. */
  reviewerModel: setting<string>({
    label: 'Model of the reviews',
    description:
      'Which model writes all reviews, as provider:model. own: the operator’s for reviews, else each sage’s.',
    operators: () => 'own',
    kind: ({ models }) =>
      oneOf([
        choice('own', 'Own', 'As the operator set, else the sage’s'),
        ...models.map(modelChoice),
      ]),
  }),
  /** `provider:model`. */
  chairModel: setting({
    label: 'Model of the chair',
    description: 'Which model writes the verdict, as provider:model.',
    operators: (_, { chair }) => chair,
    kind: ({ models }) => oneOf(models.map(modelChoice)),
  }),
  /** `auto`: the question's own. */
  language: setting({
    label: 'Language',
    description: "The language of all that is said, e.g. German. auto: the question's own.",
    operators: ({ council }) => council.language ?? 'auto',
    kind: () =>
      wordsOf(/^\p{L}[\p{L}\p{M} ()'’-]*$/u, {
        maxChars: 40,
        whenNone: 'auto',
        expected: 'the name of a language in at most 40 letters, e.g. German',
      }),
  }),
  followUpMode: setting({
    label: 'Follow-ups',
    description: 'What begins the next question in a thread of the council.',
    operators: ({ council }) => council.followUpMode,
    kind: () =>
      oneOf(
        [
          choice(
            'asked',
            'Questions',
            'A message that mentions the council, or ends as a question for it',
          ),
          choice('mention', 'Mentions', 'A message that mentions the council'),
          choice(
            'everything',
            'Everything',
            'All but thanks, greetings, laughter, emoji and bare links',
          ),
        ],
        { every_message: 'everything' },
      ),
  }),
  channelUsdPerDay: setting({
    label: 'Budget of the channel',
    description: 'What one channel may spend in a day (UTC), in US dollars.',
    operators: ({ budgets }) => budgets.channelUsdPerDay ?? 'unlimited',
    kind: (_, operators) =>
      limitedBy(operators, {
        minimum: 0.01,
        maximum: mostUsdPerDay,
        isWhole: false,
        unit: 'US dollars a day',
      }),
  }),
  /** Of one person in this channel. */
  questionsPerUserPerHour: setting({
    label: 'Questions of one person',
    description:
      'How many questions one person may ask in a channel within an hour, drafts of sages and minutes included.',
    operators: ({ limits }) => limits.questionsPerUserPerHour ?? 'unlimited',
    kind: (_, operators) =>
      limitedBy(operators, {
        minimum: 1,
        maximum: mostQuestionsPerHour,
        isWhole: true,
        unit: 'questions an hour',
      }),
  }),
  /** Whether earlier questions of a thread are recalled. */
  memory: setting({
    label: 'Memory',
    description: 'Whether the council recalls the earlier questions of a thread.',
    operators: ({ memory }) => memory.interactions > 0,
    kind: (_, operators) =>
      yesOrNo(
        operators
          ? undefined
          : 'The operator has switched memory off for every channel (memory.interactions is 0).',
      ),
  }),
  /** Ids of people who may manage this channel, beside those whom the platform and the server let. */
  managers: setting<'nobody' | readonly string[]>({
    label: 'Managers',
    description:
      'Who may change these settings and stop any question, besides those whom the platform lets. Those named for a whole server manage every channel of it.',
    operators: () => 'nobody',
    kind: () => peopleUpTo(mostManagers, 'nobody'),
  }),
  /** How far what is recalled may come from. */
  memoryReach: setting({
    label: 'Reach of memory',
    description:
      'How far what is recalled may come from. What was said in a private channel never leaves it.',
    operators: ({ memory }) => memory.reach,
    kind: () =>
      oneOf([
        choice('thread', 'Thread', 'What was said in the same thread'),
        choice('channel', 'Channel', 'All threads of the channel'),
        choice('workspace', 'Everywhere', 'Also other channels that everybody can read'),
      ]),
  }),
  /** How the last questions are shown: each answer in short, or as it was given. */
  history: setting({
    label: 'History',
    description:
      'How the last questions of a thread are shown to the sages. full costs more, and shortens what is long ago.',
    operators: ({ memory }) => memory.history,
    kind: () =>
      oneOf([
        choice('summaries', 'Summaries', 'Each answer in short'),
        choice('full', 'Full', 'Each answer as it was given'),
      ]),
  }),
  /** The store itself goes by it: see `src/store/retention.ts`. */
  retentionDays: setting({
    label: 'Retention',
    description:
      'Days that what was said here is kept; counts at once. A longer time brings back only what is not deleted yet.',
    whyOfServer: 'What was said is kept for as long in all channels.',
    operators: ({ memory }) => memory.retentionDays ?? 'unlimited',
    kind: (_, operators) =>
      limitedBy(operators, {
        minimum: 1,
        maximum: mostRetentionDays,
        isWhole: true,
        unit: 'days',
        whyNoMore: 'The operator keeps nothing for longer (memory.retentionDays)',
      }),
  }),
  /** Whether a question goes from memory with its message, and what is in a thread or channel with that. */
  forgetDeleted: setting({
    label: 'Forget what is deleted',
    description:
      'Whether the council forgets a question whose message is deleted, with all that came of it, and all of a thread or channel that is deleted.',
    operators: ({ memory }) => memory.forgetDeleted,
    kind: () => yesOrNo(),
  }),
};

type ValuesOf<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends SettingDefinition<infer Value>
    ? Value
    : never;
};

/** The settings of a channel, all filled in. */
export type ChannelSettings = ValuesOf<typeof table>;
export type SettingName = keyof ChannelSettings;

/** By name, in the order in which they are shown. */
export const settingTable: {
  readonly [Name in SettingName]: SettingDefinition<ChannelSettings[Name]>;
} = table;

/** What a value is judged by. */
export interface KnownHere extends Surroundings {
  /** What holds where nobody has set anything. */
  readonly file: ChannelSettings;
}

function setting<Value>(definition: SettingDefinition<Value>): SettingDefinition<Value> {
  return definition;
}

function sageChoice({ key, name, description }: Surroundings['sages'][number]) {
  return choice(key, name, description);
}

function modelChoice(model: string) {
  return { value: model, label: model };
}

/** What the operator has limited can be limited further, not raised. */
function limitedBy(
  operators: number | 'unlimited',
  { whyNoMore, ...range }: NumberRange & { readonly whyNoMore?: string },
): SettingKind<number | 'unlimited'> {
  if (operators === 'unlimited') return limitFrom(range, 'unlimited', true);
  const minimum = Math.min(range.minimum, operators);
  return limitFrom({ ...range, minimum, maximum: operators }, 'unlimited', false, whyNoMore);
}
