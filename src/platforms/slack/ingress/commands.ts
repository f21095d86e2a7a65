/** Handles `/council` and “Ask the council”. */

import type { ViewOutput } from '@slack/bolt';
import { LRUCache } from 'lru-cache';
import type { Person, Place } from '../../../../commands/command.ts';
import { askSchema } from '../../../domain/asking.ts';
import type { HeardMessage } from '../../../domain/heard.ts';
import { postedInThread, unheardMessage, wordlessMessage } from '../../chat/asking/asking-words.ts';
import { aboutForm, summonForm } from '../../chat/forms.ts';
import { heardAlone, questionAbout, wordlessQuestion } from '../../chat/surroundings.ts';
import type { CommandLine } from '../../chat/text/command-line.ts';
import { readSpokenLine } from '../../chat/text/spoken-line.ts';
import type { Form } from '../action-id.ts';
import {
  addressOf,
  type ChannelScene,
  eventIdOf,
  placeOf,
  placeOfScene,
  readThreadId,
  sceneOf,
  spotOfScene,
} from '../place.ts';
import { failureWords } from '../slack-error.ts';
import { unescaped } from '../slack-text.ts';
import { toHeardMessage } from '../surroundings/hear.ts';
import { type BotIds, isSpoken, type Said, wordsOf } from '../surroundings/said-message.ts';
import { answerIn, type PrivateAnswer, showEverybody } from './answers.ts';
import type { VisibleQuestions } from './ask-by-command.ts';
import {
  type Modal,
  openModal,
  replyModal,
  sayingModal,
  typedIn,
  typingModal,
  updateModal,
} from './modals.ts';
import type { IngressContext } from './readers.ts';
import { openSettings } from './settings-dialogue.ts';

/** Slack accepts answers to a shortcut for as long. */
const modalLivesMs = 30 * 60_000;

/** A `/council` command. */
export interface CommandInput {
  readonly scene: ChannelScene;
  readonly text: string;
  readonly triggerId: string;
  readonly answer: PrivateAnswer;
}

/** An “Ask the council” on a message. */
export interface AboutInput extends Omit<CommandInput, 'text'>, Pick<BotIds, 'botId'> {
  readonly said: Said;
}

type ReadLine = Extract<CommandLine, { status: 'read' }>;
type AboutForm = Extract<Form, { kind: 'about' }>;
type SummonForm = Extract<Form, { kind: 'summon' }>;

export type Commands = ReturnType<typeof commandsOf>;

/** Handles commands, shortcuts and their modals. All throw what Slack and the store throw. */
export function commandsOf(options: IngressContext, asking: VisibleQuestions) {
  const { commands, noticeFor, ingress, people, readers, api } = options;
  /** Commands about a thread's last turn. Slack has no commands in threads, so it is the person's last turn. */
  const aboutThread = commands.filter(
    ({ showsTurns, options: { shape } }) => showsTurns || Object.hasOwn(shape, 'turn'),
  );
  /** By the id of an open modal: how to answer, also where the app can't post, and the message that it is about. */
  const opened = new LRUCache<
    string,
    { readonly answer: PrivateAnswer; readonly hearing?: Promise<HeardMessage> }
  >({ max: 1000, ttl: modalLivesMs });

  async function slash({ scene, text, triggerId, answer }: CommandInput): Promise<void> {
    const line = readSpokenLine(text, commands);
    if (line.status === 'mistaken') return answer.say(line.message);
    const { command } = line;
    const given = await plainOptions(line, scene.team);
    const isBare = Object.keys(given).length === 0;
    // Opened before any lookup, because Slack allows only 3 s.
    if (isBare && command === 'summon') {
      const form = { kind: 'summon', ...spotOfScene(scene) } as const;
      const modal = typingModal(summonForm, form);
      opened.set(await openModal(api, scene.team, triggerId, modal), { answer });
      return;
    }
    if (isBare && command === 'config') return openSettings(scene, triggerId, 'channel', options);
    const asked = command === 'ask' ? askSchema.safeParse(given).data : undefined;
    // Asking needs no rights, so no lookup slows it when many ask at once.
    if (asked) return asking.ask(scene, { ...asked, eventId: triggerId }, answer);
    const person = await people.personIn(scene);
    await run(scene, person, command, given, answer);
    // Tells a manager of missing permissions.
    const notice = person.isServerManager ? await noticeFor(scene.team) : undefined;
    if (notice !== undefined) await answer.say(notice);
  }

  /** Reads what was typed, which Slack escapes. Where people are named by their ids, mentions stay. */
  async function plainOptions({ command, options: typed }: ReadLine, team: string) {
    const isByIds = command === 'config' || typed.do === 'forget';
    const plain = (text: string) =>
      isByIds ? unescaped(text) : people.plain(team, text, undefined);
    const read = Object.entries(typed).map(
      async ([name, value]) =>
        [name, typeof value === 'string' ? await plain(value) : value] as const,
    );
    return Object.fromEntries(await Promise.all(read));
  }

  async function askAbout({ scene, said, triggerId, answer, botId }: AboutInput): Promise<void> {
    const { team, channel, userId } = scene;
    const written = wordsOf(said);
    if (written.trim() === '') {
      if (said.files.length === 0) return answer.say(wordlessMessage);
      if (isSpoken(said)) return answer.say(unheardMessage);
    }
    if (said.user !== userId) {
      const message = eventIdOf(channel, said.ts);
      const { thread = said.ts } = scene;
      const by = said.user === undefined ? {} : { by: said.user };
      const form = { kind: 'about', team, channel, thread, message, ...by } as const;
      // Opened before any lookup, because Slack allows only 3 s.
      const modal = await openModal(api, team, triggerId, typingModal(aboutForm, form));
      opened.set(modal, { answer, hearing: toHeardMessage(said, scene, { people, botId }) });
      return;
    }
    const question = (await people.plain(team, written, undefined)) || wordlessQuestion;
    await asking.ask(scene, { question, eventId: triggerId, hears: 'thread' }, answer);
  }

  /** Asks the question that was typed about a message. */
  async function askTyped(view: ViewOutput, form: AboutForm, scene: ChannelScene): Promise<void> {
    const [{ name: field }] = aboutForm.inputs;
    const { threadId } = placeOf(form);
    const { hearing, answer = answerIn(api, scene) } = opened.get(view.id) ?? {};
    const heard = await hearing;
    // Another process may have opened the form.
    const named = form.by === undefined ? 'someone' : people.nameOf(form.team, form.by);
    const author = heard?.author.name ?? (await named);
    await asking.ask(
      scene,
      {
        question: questionAbout(author, typedIn(view)[field] ?? '', addressOf(threadId)),
        eventId: view.id,
        hears: 'thread',
        repliesTo: form.message,
        ...(heard && { heard: heardAlone(heard, threadId, 'thread') }),
      },
      answer,
    );
  }

  /** Drafts a sage and shows it in the modal; if that is closed, in the conversation. */
  async function draftSage(view: ViewOutput, form: SummonForm, userId: string): Promise<void> {
    const scene = sceneOf(form, userId);
    const { answer = answerIn(api, scene) } = opened.get(view.id) ?? {};
    const show = async (modal: Modal, elsewhere: () => Promise<void>) => {
      const isSeen = await updateModal(api, scene.team, view.id, modal);
      if (!isSeen) await elsewhere();
    };
    try {
      const person = await people.personIn(scene);
      const place = placeOfScene(scene);
      const typed = { place, person, command: 'summon', options: typedIn(view) };
      const reply = await ingress.command(typed);
      await show(replyModal(summonForm.title, reply, form), () => answer.show(reply));
    } catch (error) {
      const words = failureWords(error);
      await show(sayingModal(summonForm.title, words, form), () => answer.say(words));
      throw error;
    }
  }

  /** Shows a private reply to the person, and a public one in the thread that it is about. */
  async function run(
    scene: ChannelScene,
    person: Person,
    command: string,
    given: Readonly<Record<string, unknown>>,
    answer: PrivateAnswer,
  ): Promise<void> {
    const isAboutThread =
      aboutThread.some(({ name }) => name === command) && given.turn === undefined;
    const place = isAboutThread
      ? await lastPlace(scene, command === 'stop', options)
      : await readers.placeOfScene(scene);
    const reply = await ingress.command({ place, person, command, options: given });
    if (reply.isPrivate) return answer.show(reply);
    await showEverybody(api, readThreadId(place.threadId), reply);
    await answer.say(postedInThread);
  }

  return { slash, askAbout, askTyped, draftSage };
}

/**
 * Finds the thread of the person's last question in this channel; without one, the channel.
 *
 * @param onlyOpen - Looks only at questions that are still running.
 */
export async function lastPlace(
  scene: ChannelScene,
  onlyOpen: boolean,
  { ingress, readers }: Pick<IngressContext, 'ingress' | 'readers'>,
): Promise<Place> {
  const here = await readers.placeOfScene(scene);
  const { recent } = await ingress.overview(here, scene.userId);
  const inChannel = `${here.platform}:${here.workspace}:${here.channel}:`;
  const last = recent.find(
    ({ threadId, outcome }) =>
      threadId.startsWith(inChannel) && (!onlyOpen || outcome === undefined),
  );
  return last ? { ...here, threadId: last.threadId } : here;
}
