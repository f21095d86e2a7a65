/** Fills a person's App Home, and suggests prompts in the agent pane. */

import type { types } from '@slack/bolt';
import type { Overview, RecentQuestion } from '../../../domain/overview.ts';
import type { Sage } from '../../../domain/turn.ts';
import { settingLine } from '../../chat/forms.ts';
import { excerpt } from '../../chat/text/split-markdown.ts';
import { shortName, visibleName, visibleText } from '../../chat/text/visible-text.ts';
import { addressOf, type ChannelScene, placeOfScene } from '../place.ts';
import {
  type Block,
  bold,
  button,
  buttonRow,
  date,
  headerBlock,
  link,
  paragraphs,
  words,
} from '../presenter/blocks.ts';
import type { IngressContext } from './readers.ts';

/** Slack allows 100 blocks; each group of sages is one. */
const sagesInBlock = 10;
const longest = { sage: 300, question: 140, prompt: 60 } as const;

const intro =
  'Mention me in a channel, or write to me under Messages: a moderator seats the sages that fit your question, each answers as itself, they review one another without knowing who wrote what, and a chair gives the verdict. Only you see this page.';

/** Fills a person's App Home. Throws what Slack and the store throw. */
export async function publishHome(
  scene: Pick<ChannelScene, 'team' | 'userId'>,
  { ingress, api, people }: IngressContext,
): Promise<void> {
  const { team, userId } = scene;
  const [overview, person] = await Promise.all([
    ingress.overview(placeOfScene(scene), userId),
    people.personIn(scene),
  ]);
  const view = homeView(overview, person.isServerManager);
  await api.call(team, 'views.publish', { user_id: userId, view });
}

/** Suggests prompts in the agent pane, if Slack allows it. Throws what the store throws. */
export async function suggestPrompts(
  scene: ChannelScene,
  { ingress, api, log }: IngressContext,
): Promise<void> {
  const { bench } = await ingress.settings(placeOfScene(scene));
  const { team, channel: channel_id } = scene;
  const title = 'What should the council think about?';
  const args = { channel_id, title, prompts: suggestedPrompts(bench) };
  await api
    .call(team, 'assistant.threads.setSuggestedPrompts', args)
    .catch((error: unknown) => log.info({ team, error }, 'no prompts could be suggested'));
}

/** @param canConfigure - Whether the person may change the workspace's defaults. */
export function homeView(
  { bench, defaults, recent }: Overview,
  canConfigure: boolean,
): types.HomeView {
  return {
    type: 'home',
    blocks: [
      headerBlock('Your council'),
      paragraphs([words(intro)]),
      headerBlock('Your last questions'),
      paragraphs(
        ...(recent.length === 0
          ? [[words('None yet. Ask one, and it will be listed here.')]]
          : recent.map(questionParts)),
      ),
      headerBlock(bench.length === 1 ? 'One sage' : `${bench.length} sages`),
      ...sageBlocks(bench),
      headerBlock('Defaults for all channels'),
      paragraphs(
        ...defaults.map((field) => [words(`• ${visibleName(settingLine(field, 'workspace'))}`)]),
      ),
      ...(canConfigure
        ? buttonRow([button('Change the defaults', { kind: 'config', scope: 'server' }, 'primary')])
        : []),
    ],
  };
}

function questionParts({ threadId, question, askedAt, outcome }: RecentQuestion) {
  const shown = excerpt(visibleText(question), longest.question).replace(/\s+/g, ' ');
  return [
    words('• '),
    link(shown || 'A question', addressOf(threadId)),
    words(' ('),
    date(askedAt),
    words(`, ${outcome ?? 'still running'})`),
  ];
}

function sageBlocks(bench: readonly Sage[]): readonly Block[] {
  if (bench.length === 0) return [paragraphs([words('No sage sits here.')])];
  const groups = Math.ceil(bench.length / sagesInBlock);
  return Array.from({ length: groups }, (_, index) =>
    paragraphs(
      ...bench
        .slice(index * sagesInBlock, (index + 1) * sagesInBlock)
        .map(({ name, emoji, description }) => [
          bold(`${emoji ? `${emoji} ` : ''}${visibleName(name)}`),
          words(`: ${shortName(description, longest.sage)}`),
        ]),
    ),
  );
}

/** The prompts that the agent pane suggests; Slack allows four. */
export function suggestedPrompts(bench: readonly Sage[]) {
  const [first] = bench;
  return [
    {
      title: 'Weigh a decision',
      message: 'We are about to decide something that is hard to undo. What should we ask first?',
    },
    {
      title: 'Find what breaks',
      message: 'What would make this plan fail, and how would we notice?',
    },
    {
      title: 'Settle an argument',
      message: 'Two of us disagree about this. What is each of us right about?',
    },
    ...(first
      ? [
          {
            title: shortName(`Ask ${first.name} alone`, longest.prompt),
            message: `${visibleName(first.name)}: what do most people get wrong about decisions?`,
          },
        ]
      : []),
  ];
}
