/**
 * Every setting that a channel or server can change. An entry holds all there is to a setting: its
 * words, its kind with unit and bounds, who may change it, and its value until it is set.
 */

import {
  choice,
  limitedBy,
  linkReaders,
  modelChoice,
  numberFrom,
  oneOf,
  peopleUpTo,
  sageChoice,
  severalOf,
  wholeFrom,
  wordsOf,
  yesOrNo,
} from './channel-kinds.ts';
import { isTimeZone } from './file-kinds.ts';
import { mostCriteriaChars } from './preset-settings.ts';
import type { SettingDefinition, SettingSurroundings } from './setting-definition.ts';

const mostDynamicSages = 4;
/** A century; the operator's own may be as long. */
const mostRetentionDays = 36_500;

/** By name, in the order in which they are shown. */
const table = {
  /** `moderated`, or the keys of the sages that always sit. */
  seats: setting<'moderated' | readonly string[]>({
    label: 'Seats',
    description:
      'Who sits. moderated: a moderator picks the sages that fit each question. Otherwise these sages always sit.',
    fallback: ({ council }) => council.seats,
    kind: ({ sages, maxSages }) =>
      severalOf(sages.map(sageChoice), { most: maxSages, whenNone: 'moderated' }),
  }),
  /** Keys of the sages that may sit. */
  bench: setting<'all' | readonly string[]>({
    label: 'Bench',
    description: 'Who may sit, be addressed and be picked by the moderator. all: every sage here.',
    fallback: () => 'all',
    kind: ({ sages }) => severalOf(sages.map(sageChoice), { most: sages.length, whenNone: 'all' }),
  }),
  /** Also decides about reviews and rebuttals: `quick` holds neither. */
  depth: setting({
    label: 'Depth',
    description:
      'How far a question goes unless the person who asks says otherwise. Reviews are part of standard and not of quick; deep adds one rebuttal where answers contradict each other; with auto the moderator chooses.',
    fallback: ({ council }) => council.depth,
    kind: () =>
      oneOf([
        choice('quick', 'Quick', 'Answers and a verdict, no reviews'),
        choice('standard', 'Standard', 'Answers, blind reviews and a verdict'),
        choice('deep', 'Deep', 'Also a rebuttal where answers contradict each other'),
        choice('auto', 'Auto', 'As deep as the moderator thinks a question deserves'),
      ]),
  }),
  maxDynamicSages: setting({
    label: 'Invented sages',
    description:
      'How many sages the moderator may invent for one question; 0 allows none. Of use only while the seats are moderated.',
    fallback: ({ council }) => council.maxDynamicSages,
    kind: ({ maxSages }) => numberFrom(wholeFrom(0, Math.min(mostDynamicSages, maxSages), 'sages')),
  }),
  answerWords: setting({
    label: 'Length of an answer',
    description:
      'The most words a sage’s answer should have. Sages are told the limit; a longer answer is not cut.',
    fallback: ({ council }) => council.answerWords,
    kind: () => numberFrom(wholeFrom(40, 600, 'words')),
  }),
  nextQuestions: setting({
    label: 'Next questions',
    description: 'Whether a verdict suggests up to three questions to ask next, as buttons.',
    fallback: () => true,
    kind: () => yesOrNo(),
  }),
  /** `none`: how much an answer helps the person who asked. */
  criteria: setting({
    label: 'Criteria',
    description:
      'What answers are judged by in the reviews, e.g. cost, risk, what the customer feels; told with the ranking. none: by how much they help the person who asked.',
    fallback: ({ council }) => council.criteria ?? 'none',
    kind: () =>
      wordsOf((words) => /^[^\p{Cc}]+$/u.test(words), {
        maxChars: mostCriteriaChars,
        whenNone: 'none',
        expected: `what counts, in one line of at most ${mostCriteriaChars} characters, e.g. cost, risk, what the customer feels`,
      }),
  }),
  /** `provider:model`. */
  moderatorModel: setting({
    label: 'Model of the moderator',
    description: 'Which model seats the sages, as provider:model.',
    fallback: (_, { moderator }) => moderator,
    kind: ({ models }) => oneOf(models.map(modelChoice)),
  }),
  /** `provider:model` for every sage; `own`: the one that the operator gave each of them. */
  sageModel: setting<string>({
    label: 'Model of the sages',
    description:
      'Which model speaks for all sages, as provider:model. own: each has the one that the operator gave it.',
    fallback: () => 'own',
    kind: ({ models }) =>
      oneOf([choice('own', 'Own', 'As the operator set for each'), ...models.map(modelChoice)]),
  }),
  /** `provider:model` for every review; `own`: the operator's for reviews, else the one the sage speaks with. */
  reviewerModel: setting<string>({
    label: 'Model of the reviews',
    description:
      'Which model writes all reviews, as provider:model. own: the operator’s for reviews, else each sage’s.',
    fallback: () => 'own',
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
    fallback: (_, { chair }) => chair,
    kind: ({ models }) => oneOf(models.map(modelChoice)),
  }),
  /** `auto`: the question's own. */
  language: setting({
    label: 'Language',
    description: "The language of all that is said, e.g. German. auto: the question's own.",
    fallback: ({ council }) => council.language ?? 'auto',
    kind: () =>
      wordsOf((words) => /^\p{L}[\p{L}\p{M} ()'’-]*$/u.test(words), {
        maxChars: 40,
        whenNone: 'auto',
        expected: 'the name of a language in at most 40 letters, e.g. German',
      }),
  }),
  /** An IANA name. */
  timeZone: setting({
    label: 'Time zone',
    description: 'The time zone of the dates and times that the sages are told.',
    fallback: ({ council }) => council.timeZone,
    kind: () =>
      wordsOf(isTimeZone, {
        maxChars: 64,
        whenNone: 'UTC',
        expected: 'the name of a time zone, e.g. Europe/Berlin',
      }),
  }),
  followUpMode: setting({
    label: 'Follow-ups',
    description: 'What begins the next question in a thread of the council.',
    fallback: ({ council }) => council.followUpMode,
    kind: () =>
      oneOf(
        [
          choice(
            'asked',
            'Questions',
            'A message that mentions the council, or reads as a question or task for it',
          ),
          choice('mention', 'Mentions', 'A message that mentions the council'),
          choice('everything', 'Everything', 'All but chatter, and what is for another person'),
        ],
        { every_message: 'everything' },
      ),
  }),
  channelUsdPerDay: setting({
    label: 'Budget of the channel',
    description: 'What one channel may spend in a day (UTC), in US dollars.',
    fallback: ({ budgets }) => budgets.channelUsdPerDay ?? 'unlimited',
    kind: (_, fallback) =>
      limitedBy(fallback, {
        minimum: 0.01,
        maximum: 10_000,
        isWhole: false,
        unit: 'US dollars a day',
      }),
  }),
  /** Of one person in this channel. */
  questionsPerUserPerHour: setting({
    label: 'Questions of one person',
    description:
      'How many questions one person may ask in a channel within an hour, drafts of sages and minutes included.',
    fallback: ({ limits }) => limits.questionsPerUserPerHour ?? 'unlimited',
    kind: (_, fallback) => limitedBy(fallback, wholeFrom(1, 1000, 'questions an hour')),
  }),
  /** Whether earlier questions of a thread are recalled. */
  memory: setting({
    label: 'Memory',
    description: 'Whether the council recalls the earlier questions of a thread.',
    fallback: ({ memory }) => memory.interactions > 0,
    kind: (_, fallback) =>
      yesOrNo(
        fallback
          ? undefined
          : 'The operator has switched memory off for every channel (memory.interactions is 0).',
      ),
  }),
  attachments: setting({
    label: 'Attachments',
    description: 'Whether files and pictures that people attach are read for the sages.',
    fallback: ({ sources }) => sources.attachments,
    kind: (_, fallback) =>
      yesOrNo(
        fallback ? undefined : 'The operator has switched attachments off (sources.attachments).',
      ),
  }),
  links: setting({
    label: 'Links',
    description: 'Whose links are followed, so that the sages know what is on the page.',
    fallback: ({ sources }) => sources.links,
    kind: (_, fallback) => linkReaders(fallback),
  }),
  /** Ids of people who may manage this channel, besides those the platform or the server lets. */
  managers: setting<'nobody' | readonly string[]>({
    label: 'Managers',
    description:
      'Who may change these settings and stop any question, besides those whom the platform lets. Those named for a whole server manage every channel of it.',
    fallback: () => 'nobody',
    kind: () => peopleUpTo(25, 'nobody'),
  }),
  /** How far what is recalled may come from. */
  memoryReach: setting({
    label: 'Reach of memory',
    description:
      'How far what is recalled may come from. What was said in a private channel never leaves it.',
    fallback: ({ memory }) => memory.reach,
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
    fallback: ({ memory }) => memory.history,
    kind: () =>
      oneOf([
        choice('summaries', 'Summaries', 'Each answer in short'),
        choice('full', 'Full', 'Each answer as it was given'),
      ]),
  }),
  /** Applied by the store itself: see `src/store/retention.ts`. */
  retentionDays: setting({
    label: 'Retention',
    description:
      'Days that what was said here is kept; counts at once. A longer time brings back only what is not deleted yet.',
    whyOfServer: 'What was said is kept for as long in all channels.',
    fallback: ({ memory }) => memory.retentionDays ?? 'unlimited',
    kind: (_, fallback) =>
      limitedBy(
        fallback,
        wholeFrom(1, mostRetentionDays, 'days'),
        'The operator keeps nothing for longer (memory.retentionDays)',
      ),
  }),
  /** Whether deleting a message, a thread or a channel also deletes what is remembered of it. */
  forgetDeleted: setting({
    label: 'Forget what is deleted',
    description:
      'Whether the council forgets a question whose message is deleted, with all that came of it, and all of a thread or channel that is deleted.',
    fallback: ({ memory }) => memory.forgetDeleted,
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

/** What values are checked against. */
export interface KnownHere extends SettingSurroundings {
  /** The values of a channel that has none of its own. */
  readonly file: ChannelSettings;
}

function setting<Value>(definition: SettingDefinition<Value>): SettingDefinition<Value> {
  return definition;
}
