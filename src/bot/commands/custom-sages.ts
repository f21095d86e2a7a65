/** Drafts, saves and dismisses the custom sages of a channel. */

import { randomUUID } from 'node:crypto';
import { CommandError } from '../../../commands/command.ts';
import type { CustomSages } from '../../../commands/context.ts';
import {
  type CustomSage,
  draftPrompt,
  type KeptDraft,
  keptDraftSchema,
  seatableSage,
} from '../../council/custom-sage.ts';
import { planCall } from '../../council/estimate.ts';
import { customKey, mostNameChars, nameProblem, tidyName } from '../../council/sage-name.ts';
import { sageNamed } from '../../domain/words.ts';
import type { JsonObject } from '../../store/store.ts';
import { payerFor } from '../money/budgets.ts';
import type { Estimate } from '../money/money.ts';
import type { BotParts } from '../parts.ts';
import { draftScopeOf, type Here, sageSetting, writeSettings } from '../places/channels.ts';

/** More would make the moderator's list and the platforms' menus too long. */
const maxInChannel = 20;
/** “律师” says all that a moderator needs. */
const descriptionChars = { minimum: 2, maximum: 400 };
const draftKeptMs = 60 * 60 * 1000;
/** The pause between two drafts of one person, in milliseconds, because each calls a model. */
const draftPauseMs = 20_000;

/** The custom sages of a channel, for one person. */
export function customSagesFor(here: Here, parts: BotParts): CustomSages {
  const { person, channel, place } = here;
  const { customSages, known } = channel;
  const { store } = parts;
  const platform = parts.platforms.find(({ name }) => name === place.platform);
  const write = (scope: string, changes: JsonObject, keptMs?: number) =>
    writeSettings(here, parts, scope, changes, keptMs);
  /** One draft per person, by their id. A new one replaces it. */
  const draftScope = draftScopeOf(channel.scopes.channel);

  async function ownDraft(id: string): Promise<KeptDraft | undefined> {
    const [drafts = {}] = await store.settings.read([draftScope]);
    const draft = keptDraftSchema.safeParse(drafts[person.id]?.value).data;
    return draft?.id === id ? draft : undefined;
  }

  /** Drafts a prompt at the expense of the person who asks. */
  async function promptFor(name: string, description: string): Promise<string> {
    const estimate: Estimate = {
      what: 'this draft',
      calls: ({ moderator }) => [planCall('draft', moderator.id, name.length + description.length)],
    };
    const payer = { ...payerFor(person, place), settings: channel.settings };
    const drafted = await parts.money.pay(payer, estimate, async ({ moderator }) => {
      if (!(await store.claim(`draft:${draftScope}:${person.id}`, draftPauseMs))) {
        throw new CommandError('You have just asked for a draft. Try again in half a minute.');
      }
      const { moderatorTimeoutMs } = channel.council.limits;
      return draftPrompt(moderator, { name, description }, moderatorTimeoutMs);
    });
    if (drafted.status === 'drafted') return drafted.prompt;
    throw new CommandError(`No prompt could be drafted. ${drafted.explanation}`);
  }

  function assertFits(name: string): void {
    const problem = nameProblem(name, known.sages);
    if (problem) {
      const expected = `Give it a name of one line and at most ${mostNameChars} letters, e.g. The Gardener.`;
      throw new CommandError(`${problem} ${expected}`);
    }
    if (customSages.length >= maxInChannel) throw tooManySages();
  }

  function find(named: string): CustomSage {
    const sage = sageNamed(named, customSages);
    if (sage) return sage;
    const predefined = sageNamed(named, known.sages);
    if (predefined) {
      throw new CommandError(
        `${predefined.name} was not made in this channel, so it can't be dismissed. Those who manage the channel can leave it off the bench.`,
      );
    }
    const made = customSages.map(({ name, key }) => `${name} (${key})`).join(', ');
    throw new CommandError(
      made
        ? `There is no custom sage of that name here. There are: ${made}.`
        : 'There are no custom sages in this channel.',
    );
  }

  return {
    all: customSages,

    async draft(givenName, givenDescription) {
      assertFits(givenName);
      const name = tidyName(givenName);
      const description = tidyDescription(givenDescription);
      const prompt = await promptFor(name, description);
      const draft = { id: randomUUID().slice(0, 8), name, description, prompt };
      await write(draftScope, { [person.id]: draft }, draftKeptMs);
      return draft;
    },

    async save(draftId) {
      const draft = await ownDraft(draftId);
      if (!draft) {
        throw new CommandError(
          'That draft is gone: only your latest one is kept, for an hour. Summon the sage again.',
        );
      }
      assertFits(draft.name);
      const { name, description, prompt } = draft;
      const madeBy = { id: person.id, name: person.name };
      const sage: CustomSage = { key: customKey(name), name, description, prompt, madeBy };
      // Somebody else may have saved one since the channel was read.
      const limit = { prefix: sageSetting(''), most: maxInChannel };
      const changes = { [sageSetting(sage.key)]: sage };
      if (!(await writeSettings(here, parts, channel.scopes.channel, changes, undefined, limit))) {
        throw tooManySages();
      }
      await write(draftScope, { [person.id]: null });
      const { bench } = channel.settings;
      return { sage: seatableSage(sage), sits: bench === 'all' || bench.includes(sage.key) };
    },

    async dismiss(named) {
      const sage = find(named);
      if (sage.madeBy.id !== person.id && !person.isManager) {
        throw new CommandError(
          `${sage.name} was made by ${sage.madeBy.name}. Only they, and those who may manage this channel, can dismiss it.`,
        );
      }
      const changes = { [sageSetting(sage.key)]: null, ...listsWithout(sage.key, channel) };
      await write(channel.scopes.channel, changes);
      platform?.sageDismissed?.(seatableSage(sage));
      return seatableSage(sage);
    },
  };
}

function tooManySages(): CommandError {
  return new CommandError(
    `This channel already has ${maxInChannel} custom sages, which is the limit. Dismiss one first.`,
  );
}

/** Invisible characters and those that reverse the writing direction. */
const hidden = /[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

function tidyDescription(description: string): string {
  const tidy = description.replace(/\s+/gu, ' ').replace(hidden, '').trim();
  const { minimum, maximum } = descriptionChars;
  if (tidy.length >= minimum && tidy.length <= maximum) return tidy;
  throw new CommandError(
    `The description needs ${minimum} to ${maximum} characters; yours has ${tidy.length}. Say what this sage is for, e.g. Grows things slowly; for questions where patience decides.`,
  );
}

/** The channel's seats and bench without a dismissed sage, because a list with unknown keys is invalid. */
function listsWithout(key: string, { resolved }: Here['channel']): JsonObject {
  const lists = (['seats', 'bench'] as const).flatMap((name) => {
    const { value, origin } = resolved[name];
    if (origin !== 'channel' || typeof value === 'string' || !value.includes(key)) return [];
    const left = value.filter((other) => other !== key);
    return [[name, left.length === 0 ? null : left] as const];
  });
  return Object.fromEntries(lists);
}
