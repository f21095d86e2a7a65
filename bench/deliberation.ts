/** How often a council is right where the truth is known, and what that costs: a simulation. */

import { seededRandom } from '../test/council/simulated-elections.ts';
import { type Used, usedAlone, usedBy } from './deliberation-cost.ts';
import {
  answersIn,
  ballotsOn,
  chairChoice,
  measured,
  type Option,
  supportOf,
  type World,
} from './deliberation-world.ts';
import { printTable } from './table.ts';

const questions = 20_000;
const seed = 20261122;
const { mixedFamilies } = measured;

const worlds: readonly World[] = [
  {
    name: 'open question, four families',
    skills: [0.66, 0.62, 0.6, 0.56],
    correlation: mixedFamilies,
    discernment: 1,
  },
  {
    name: 'errors independent (no models are)',
    skills: [0.66, 0.62, 0.6, 0.56],
    correlation: 0,
    discernment: 1,
  },
  {
    name: 'one model behind all sages',
    skills: [0.62, 0.62, 0.62, 0.62],
    correlation: 0.9,
    discernment: 1,
  },
  {
    name: 'one sage far better than the rest',
    skills: [0.85, 0.5, 0.5, 0.5],
    correlation: mixedFamilies,
    discernment: 1,
  },
  {
    name: 'plain fact that nearly all know',
    skills: [0.96, 0.95, 0.95, 0.94],
    correlation: mixedFamilies,
    discernment: 1,
  },
  {
    name: 'no member can tell a good answer',
    skills: [0.66, 0.62, 0.6, 0.56],
    correlation: mixedFamilies,
    discernment: 0,
  },
];

const ways = ['best sage', 'vote', 'standard', 'free debate', 'deep'] as const;
type Way = (typeof ways)[number];

/** Asks one question in every way, with the same answers and first ballots. */
function askOnce(world: World, sight: number, random: () => number): Readonly<Record<Way, Option>> {
  const answers = answersIn(world, random);
  const everybody = answers.map((_, sage) => sage);
  const ballots = ballotsOn(answers, everybody, world, random);
  const chair = (given: readonly Option[], cast = ballots) =>
    chairChoice(supportOf(cast, given), given, world.discernment * sight, random);
  return {
    'best sage': answers[0] ?? 1,
    vote: pluralityOf(answers, random),
    standard: chair(answers),
    'free debate': chair(answers.map((one) => afterTalk(one, answers, random))),
    deep: deepChoice(world, answers, ballots, sight, random),
  };
}

/** One rebuttal where the docket finds a contradiction; both ballots count. */
function deepChoice(
  world: World,
  answers: readonly Option[],
  first: ReturnType<typeof ballotsOn>,
  sight: number,
  random: () => number,
): Option {
  const { conformity, forTheWorse, namesAFlawAnyway, corrected } = measured;
  const usual = { givesIn: conformity * forTheWorse * namesAFlawAnyway, corrected };
  return deepWith(usual, world, answers, first, sight, random);
}

/** How often a party changes sides with a flaw named: one that is right, and one that is wrong. */
interface Changes {
  readonly givesIn: number;
  readonly corrected: number;
}

function deepWith(
  changes: Changes,
  world: World,
  answers: readonly Option[],
  first: ReturnType<typeof ballotsOn>,
  sight: number,
  random: () => number,
): Option {
  const isDisputed = new Set(answers).size > 1 && random() < measured.docketFinds;
  const now = isDisputed
    ? answers.map((one) => afterRebuttal(one, answers, changes, random))
    : answers;
  if (!isDisputed)
    return chairChoice(supportOf(first, answers), answers, world.discernment * sight, random);
  const everybody = now.map((_, sage) => sage);
  const before = supportOf(first, answers);
  const after = supportOf(ballotsOn(now, everybody, world, random), now);
  // Both ballots count, each for what it was cast on, and the chair reads what was said before and after.
  const options = new Set([...answers, ...now]);
  const both = new Map(
    [...options].map((option) => [
      option,
      ((before.get(option) ?? 0) + (after.get(option) ?? 0)) / 2,
    ]),
  );
  return chairChoice(both, [...answers, ...now], world.discernment * sight, random);
}

/** Talk with nothing to hold it: who is alone gives in, right or wrong. */
function afterTalk(own: Option, answers: readonly Option[], random: () => number): Option {
  const others = answers.filter((one) => one !== own);
  const { conformity, forTheWorse } = measured;
  const isRight = own === 0;
  // As often as measured, over those that are right and those that are not.
  const moves = conformity * 2 * (isRight ? forTheWorse : 1 - forTheWorse);
  return others.length > 0 && random() < moves ? pluralityOf(others, random) : own;
}

/** A change that names no flaw does not count; a wrong answer holds a flaw that can be named. */
function afterRebuttal(
  own: Option,
  answers: readonly Option[],
  { givesIn, corrected }: Changes,
  random: () => number,
): Option {
  if (own !== 0) return answers.includes(0) && random() < corrected ? 0 : own;
  const others = answers.filter((one) => one !== 0);
  return others.length > 0 && random() < givesIn ? pluralityOf(others, random) : own;
}

function pluralityOf(answers: readonly Option[], random: () => number): Option {
  const counts = [...Map.groupBy(answers, (one) => one)].map(([option, { length }]) => ({
    option,
    weight: length + random() / 2,
  }));
  return counts.toSorted((one, other) => other.weight - one.weight)[0]?.option ?? 1;
}

/** How well the chair sees what is right, so that a lone right answer survives it as often as was measured. */
function chairSight(): number {
  const world = worlds[0];
  if (!world) throw new Error('There is no world.');
  const survives = (sight: number) => {
    const random = seededRandom(seed);
    const lone: readonly Option[] = [1, 1, 0, 1];
    const tries = 4000;
    const kept = Array.from({ length: tries }, () => {
      const cast = ballotsOn(lone, [0, 1, 2, 3], world, random);
      return chairChoice(supportOf(cast, lone), lone, sight, random) === 0 ? 1 : 0;
    });
    return kept.reduce<number>((sum, one) => sum + one, 0) / tries;
  };
  let [low, high] = [-2, 3];
  for (let step = 0; step < 12; step += 1) {
    const middle = (low + high) / 2;
    if (survives(middle) < measured.loneSurvives) low = middle;
    else high = middle;
  }
  return low;
}

function shareRight(world: World, sight: number): Readonly<Record<Way, number>> {
  const random = seededRandom(seed);
  const right: Record<Way, number> = {
    'best sage': 0,
    vote: 0,
    standard: 0,
    'free debate': 0,
    deep: 0,
  };
  for (let question = 0; question < questions; question += 1) {
    const chosen = askOnce(world, sight, random);
    for (const way of ways) right[way] += chosen[way] === 0 ? 1 / questions : 0;
  }
  return right;
}

/** Below it, a difference may be chance: two standard errors of a difference between two shares. */
const chance = 2 * Math.sqrt(0.5 / questions);

function verdictOn(shares: Readonly<Record<Way, number>>): string {
  const gain = (of: Way, over: Way) => shares[of] - shares[over];
  const best = gain('standard', 'best sage') > gain('deep', 'best sage') ? 'standard' : 'deep';
  const over = shares.vote > shares['best sage'] ? 'vote' : 'best sage';
  if (gain(best, over) < -chance) return `a council harms: ask the ${over}`;
  if (gain(best, over) <= chance) return `a council does not help: ${over} does as well`;
  if (gain('deep', 'standard') <= chance) return 'a council helps; deep adds nothing to standard';
  return 'a council helps, and deep more than standard';
}

const corrections = [0, 0.05, 0.12, 0.19] as const;

function gainOfDeep(changes: Changes, sight: number): number {
  const [world] = worlds;
  if (!world) throw new Error('There is no world.');
  const random = seededRandom(seed);
  let gain = 0;
  for (let question = 0; question < questions; question += 1) {
    const answers = answersIn(world, random);
    const ballots = ballotsOn(answers, [0, 1, 2, 3], world, random);
    const standard = chairChoice(supportOf(ballots, answers), answers, sight, random);
    const deep = deepWith(changes, world, answers, ballots, sight, random);
    gain += (Number(deep === 0) - Number(standard === 0)) / questions;
  }
  return gain * 100;
}

function signed(points: number): string {
  return `${points < 0 ? '−' : '+'}${Math.abs(points).toFixed(1)}`;
}

/** Prints how often each way is right in each world, and what each depth costs. */
export async function benchDeliberation(): Promise<void> {
  const sight = chairSight();
  process.stdout.write(
    `\nFigures that the simulation rests on: ${JSON.stringify(measured)}. The chair's own sight is fitted to loneSurvives: ${sight.toFixed(2)}. Seed ${seed}, ${questions} questions each; differences under ${(chance * 100).toFixed(1)} points may be chance.\n`,
  );
  printTable(
    'Share of questions answered rightly, in %',
    ['world', 'skills', 'correlation', ...ways, 'what that says'],
    worlds.map((world) => {
      const shares = shareRight(world, sight);
      return [
        ...[world.name, world.skills.join(' '), String(world.correlation)],
        ...ways.map((way) => (shares[way] * 100).toFixed(1)),
        verdictOn(shares),
      ];
    }),
  );
  printTable(
    `What deep rests on, in ${worlds[0]?.name}: its share of right answers less that of standard, in points`,
    ['a right party gives in', ...corrections.map((share) => `a wrong one is corrected: ${share}`)],
    [0, 0.05, 0.1, 0.2, 0.3].map((givesIn) => [
      String(givesIn),
      ...corrections.map((corrected) => signed(gainOfDeep({ givesIn, corrected }, sight))),
    ]),
  );
  const standard = await usedBy('standard');
  const costs: readonly (readonly [string, Used])[] = [
    ['one sage', await usedAlone()],
    ['quick', await usedBy('quick')],
    ['standard', standard],
    ['deep, no contradiction', await usedBy('deep')],
    ['deep, two parties', await usedBy('deep', 2)],
    ['deep, three parties', await usedBy('deep', 3)],
    ['deep, four parties', await usedBy('deep', 4)],
  ];
  /** Of earlier talk in each prompt of a standard turn; the round has none. */
  const recalled = 1000;
  printTable(
    'Tokens in and out, of a recorded council of four with tailored prompts',
    ['depth', 'calls', 'tokens', 'of standard', `of standard, ${recalled} tokens recalled`],
    costs.map(([depth, { calls, tokens }]) => {
      const withRecall = (used: Used) =>
        used.tokens + recalled * Math.min(used.calls, standard.calls);
      const ratio = (one: number, other: number) => (one / other).toFixed(2);
      return [
        ...[depth, String(calls), String(tokens)],
        ratio(tokens, standard.tokens),
        ratio(withRecall({ calls, tokens }), withRecall(standard)),
      ];
    }),
  );
}
