/**
 * Every setting that a channel or server can change, with its description, its default and place in the
 * operator's file, its kind, unit and bounds, and who may change it.
 */

import {
  choice,
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
import { valueAt } from './check.ts';
import { isTimeZone, line, seatList, timeZone, yesOrNo as trueOrFalse } from './file-kinds.ts';
import { maxCriteriaChars } from './preset-settings.ts';
import {
  choiceInFile,
  type Default,
  fixedDefault,
  inFile,
  inFileOr,
  limitInFile,
  modelOf,
  setting,
  wholeInFile,
} from './setting-definition.ts';

const dynamicSages = wholeFrom(0, 4, 'sages');
const usdPerDay = { minimum: 0.01, maximum: 10_000, isWhole: false, unit: 'US dollars a day' };

const ownOr = (models: readonly string[], own: string) =>
  oneOf([choice('own', 'Own', own), ...models.map(modelChoice)]);

/** Whose links are followed. */
const linkReaders = [
  choice('members', 'Members', 'Not those of people of other workspaces'),
  choice('everyone', 'Everyone', 'Also those of guests from other workspaces'),
  choice('nobody', 'Nobody', 'No link is followed'),
];

/** By name, in the order in which they are shown. */
export const channelTable = {
  seats: setting({
    label: 'Seats',
    description:
      'Who sits. moderated: a moderator picks the sages that fit each question. Otherwise these sages always sit.',
    default: inFile('council.seats', seatList().default('moderated')),
    kind: ({ sages, maxSages }) =>
      severalOf(sages.map(sageChoice), { most: maxSages, whenNone: 'moderated' }),
  }),
  bench: setting({
    label: 'Bench',
    description: 'Who may sit, be addressed and be picked by the moderator. all: every sage here.',
    default: fixedDefault<'all' | readonly string[]>('all'),
    kind: ({ sages }) => severalOf(sages.map(sageChoice), { most: sages.length, whenNone: 'all' }),
  }),
  /** Decides about reviews and rebuttals: `quick` has neither. */
  depth: setting({
    label: 'Depth',
    description:
      'How deep questions go by default. quick: no reviews; standard: reviews; deep: also a rebuttal; auto: the moderator decides.',
    ...choiceInFile(
      'council.depth',
      [
        choice('quick', 'Quick', 'Answers and a verdict, no reviews'),
        choice('standard', 'Standard', 'Answers, blind reviews and a verdict'),
        choice('deep', 'Deep', 'Also a rebuttal where answers contradict each other'),
        choice('auto', 'Auto', 'As deep as the moderator thinks a question deserves'),
      ],
      'standard',
    ),
  }),
  maxDynamicSages: setting({
    label: 'Invented sages',
    description:
      'How many sages the moderator may invent for one question; 0 allows none. Only applies while seats are moderated.',
    ...wholeInFile('council.maxDynamicSages', dynamicSages, 2),
    kind: ({ maxSages }) => {
      const maximum = Math.min(dynamicSages.maximum, maxSages);
      return numberFrom({ ...dynamicSages, maximum });
    },
  }),
  answerWords: setting({
    label: 'Length of an answer',
    description:
      'The most words a sage’s answer should have. Sages are told the limit; a longer answer is not cut.',
    ...wholeInFile('council.answerWords', wholeFrom(40, 600, 'words'), 160),
  }),
  nextQuestions: setting({
    label: 'Next questions',
    description: 'Whether a verdict suggests up to three questions to ask next, as buttons.',
    default: fixedDefault(true),
    kind: () => yesOrNo(),
  }),
  criteria: setting({
    label: 'Criteria',
    description:
      'What the reviews judge by, e.g. cost, risk, what the customer feels; shown with the ranking. none: how much an answer helps.',
    default: inFileOr(
      'council.criteria',
      line(maxCriteriaChars, 'cost, risk, what the customer feels'),
      'none',
    ),
    kind: () =>
      wordsOf((words) => /^[^\p{Cc}]+$/u.test(words), {
        maxChars: maxCriteriaChars,
        whenNone: 'none',
        expected: `what counts, in one line of at most ${maxCriteriaChars} characters, e.g. cost, risk, what the customer feels`,
      }),
  }),
  /** `provider:model`. */
  moderatorModel: setting({
    label: 'Model of the moderator',
    description: 'Which model seats the sages, as provider:model.',
    default: modelOf('moderator'),
    kind: ({ models }) => oneOf(models.map(modelChoice)),
  }),
  /** `provider:model` for every sage, or `own`: each sage's model in the operator's files. */
  sageModel: setting({
    label: 'Model of the sages',
    description:
      'Which model all sages use, as provider:model. own: each sage uses the model that the operator set for it.',
    default: fixedDefault<string>('own'),
    kind: ({ models }) => ownOr(models, 'As the operator set for each'),
  }),
  /** `provider:model` for every review, or `own`: the operator's for reviews, else each sage's. */
  reviewerModel: setting({
    label: 'Model of the reviews',
    description:
      'Which model writes all reviews, as provider:model. own: the operator’s model for reviews, else each sage’s own.',
    default: fixedDefault<string>('own'),
    kind: ({ models }) => ownOr(models, 'As the operator set, else the sage’s'),
  }),
  /** `provider:model`. */
  chairModel: setting({
    label: 'Model of the chair',
    description: 'Which model writes the verdict, as provider:model.',
    default: modelOf('chair'),
    kind: ({ models }) => oneOf(models.map(modelChoice)),
  }),
  language: setting({
    label: 'Language',
    description:
      'The language of all answers and of the words around them, e.g. German. auto: the language of the question.',
    default: inFileOr('council.language', line(40, 'German'), 'auto'),
    kind: () =>
      wordsOf((words) => /^\p{L}[\p{L}\p{M} ()'’-]*$/u.test(words), {
        maxChars: 40,
        whenNone: 'auto',
        expected: 'the name of a language in at most 40 letters, e.g. German',
      }),
  }),
  timeZone: setting({
    label: 'Time zone',
    description: 'The time zone of the dates and times in prompts, and of the day of minutes.',
    default: inFile('council.timeZone', timeZone().default('UTC')),
    kind: () =>
      wordsOf(isTimeZone, {
        maxChars: 64,
        whenNone: 'UTC',
        expected: 'the name of a time zone, e.g. Europe/Berlin',
      }),
  }),
  followUpMode: setting({
    label: 'Follow-ups',
    description: 'What starts the next question in a thread of the council.',
    forOperator:
      'A sage’s name counts as a mention. Where rules can’t tell whether a message is a question, the moderator decides. Chatter is thanks, greetings, laughter, emoji and bare links.',
    ...choiceInFile(
      'council.followUpMode',
      [
        choice(
          'asked',
          'Questions',
          'A message that mentions the council, or reads as a question or task for it',
        ),
        choice('mention', 'Mentions', 'A message that mentions the council'),
        choice('everything', 'Everything', 'All but chatter and messages to another person'),
      ],
      'asked',
    ),
  }),
  muted: setting({
    label: 'Muted people',
    description: 'Who may not ask the council in any channel.',
    whyServerOnly: 'Those people are muted in all channels.',
    default: fixedDefault<'nobody' | readonly string[]>('nobody'),
    kind: () => peopleUpTo(25),
  }),
  channelUsdPerDay: setting({
    label: 'Budget of the channel',
    description: 'What one channel may spend in a day (UTC), in US dollars.',
    ...limitInFile('budgets.channelUsdPerDay', usdPerDay, 5),
  }),
  questionsPerUserPerHour: setting({
    label: 'Questions of one person',
    description:
      'How many questions one person may ask in a channel within an hour, drafts of sages and minutes included.',
    ...limitInFile('limits.questionsPerUserPerHour', wholeFrom(1, 1000, 'questions an hour'), 20),
  }),
  memory: setting({
    label: 'Memory',
    description: 'Whether the council recalls the earlier questions of a thread.',
    default: {
      value: (file) => valueAt(file, ['memory', 'interactions']) !== 0,
    } satisfies Default<boolean>,
    kind: (_, fileValue) =>
      yesOrNo(
        fileValue
          ? undefined
          : 'The operator has switched memory off for every channel (memory.interactions is 0).',
      ),
  }),
  attachments: setting({
    label: 'Attachments',
    description: 'Whether the council reads attached files and pictures.',
    forOperator: '`false` applies to every channel.',
    default: inFile('sources.attachments', trueOrFalse().default(true)),
    kind: (_, fileValue) =>
      yesOrNo(
        fileValue ? undefined : 'The operator has switched attachments off (sources.attachments).',
      ),
  }),
  links: setting({
    label: 'Links',
    description: 'Whose links are followed, so that the sages know what is on the page.',
    forOperator:
      'A value in the file applies to every channel. Only links to the public internet are followed.',
    ...choiceInFile('sources.links', linkReaders, 'members'),
    // The operator's `nobody` leaves no choice.
    kind: (_, fileValue) => oneOf(fileValue === 'nobody' ? linkReaders.slice(-1) : linkReaders),
  }),
  /** Ids of people who may manage this channel besides the platform's own managers. */
  managers: setting({
    label: 'Managers',
    description:
      'Who may change these settings and stop any question, besides the platform’s managers. Those of a server manage all its channels.',
    default: fixedDefault<'nobody' | readonly string[]>('nobody'),
    kind: () => peopleUpTo(25),
  }),
  memoryReach: setting({
    label: 'Reach of memory',
    description:
      'Where recalled memories may come from. Messages of a private channel never leave it.',
    ...choiceInFile(
      'memory.reach',
      [
        choice('thread', 'Thread', 'What was said in the same thread'),
        choice('channel', 'Channel', 'All threads of the channel'),
        choice('workspace', 'Everywhere', 'Also other channels that everybody can read'),
      ],
      'channel',
    ),
  }),
  history: setting({
    label: 'History',
    description:
      'How the sages see the last questions of a thread. full costs more, and shortens older questions.',
    forOperator:
      'The last 5 questions are in full, as far as `memory.budgetTokens` allows; `models.compactor` sums up older ones, up to 20 questions back, in a few sentences.',
    ...choiceInFile(
      'memory.history',
      [
        choice('summaries', 'Summaries', 'Each answer in short'),
        choice('full', 'Full', 'Each answer as it was given'),
      ],
      'summaries',
    ),
  }),
  /** Enforced by the store, see `src/store/checks.ts`. */
  retentionDays: setting({
    label: 'Retention',
    description:
      'How many days messages are kept; takes effect at once. A longer time brings back only what is not deleted yet.',
    forOperator: 'A server or workspace can set fewer.',
    whyServerOnly: 'The retention is the same in all channels.',
    ...limitInFile(
      'memory.retentionDays',
      // A century.
      wholeFrom(1, 36_500, 'days'),
      90,
      'The operator keeps nothing for longer (memory.retentionDays)',
    ),
  }),
  forgetDeleted: setting({
    label: 'Forget what is deleted',
    description:
      'Whether the council forgets a question and its answers when its message is deleted, and everything in a deleted thread or channel.',
    default: inFile('memory.forgetDeleted', trueOrFalse().default(true)),
    kind: () => yesOrNo(),
  }),
};
