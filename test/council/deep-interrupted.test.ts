import { describe, expect, test } from 'vitest';
import { stopRequested } from '../../src/council/cutoff.ts';
import type { PassedCheckpoints, TurnEvent } from '../../src/council/events.ts';
import { hang, type Line } from '../fakes/scripted-model.ts';
import { deepScript, mapped } from './deep-council.ts';
import { only, run, type Script, scriptedModels } from './scripted-council.ts';

const deep = { request: { depth: 'deep' } } as const;

describe('a deep turn that is interrupted', () => {
  const checkpoints = [
    'seated',
    'answered',
    'reviewed',
    'docketed',
    'rebutted',
    'recast',
    'concluded',
  ];
  const most = 1 + 4 + 4 + 1 + 4 + 4 + 1;

  test.each(Array.from({ length: most + 1 }, (_, count) => count))(
    'after %i checkpoints asks nobody again who had finished, and ends alike',
    async (count) => {
      const whole = await run(scriptedModels(deepScript), deep);
      const kept = whole.filter(({ type }) => checkpoints.includes(type)).slice(0, count);
      const models = scriptedModels(withoutSaid(deepScript, kept));
      const events = await run(models, { ...deep, passed: passedIn(kept) });
      expect(models.unsaid()).toBe(0);
      expect(only(events, 'ranked')[0]?.ranking).toEqual(only(whole, 'ranked')[0]?.ranking);
      expect(only(events, 'rebutted')).toHaveLength(4);
      expect(only(events, 'recast')).toHaveLength(4);
      const settlementIn = (of: readonly TurnEvent[]) =>
        only(of, 'concluded')[0]?.verdict.settlement;
      expect(settlementIn(events)).toEqual(settlementIn(whole));
    },
  );

  test.each(['docket', 'rebuttals', 'second_ballots'] as const)(
    'is stopped during its %s, and nothing unfinished counts',
    async (stage) => {
      const stop = new AbortController();
      const models = scriptedModels({
        ...deepScript,
        ...(stage === 'docket' ? { chair: [hang] } : {}),
        ...(stage === 'rebuttals'
          ? {
              sages: mapped(deepScript.sages ?? {}, ([first]) => [...(first ? [first] : []), hang]),
            }
          : {}),
        ...(stage === 'second_ballots'
          ? {
              reviews: mapped(deepScript.reviews ?? {}, ([first]) => [
                ...(first ? [first] : []),
                hang,
              ]),
            }
          : {}),
      });
      const events = await run(models, {
        ...deep,
        signal: stop.signal,
        onEvent: (event) => {
          if (event.type === 'stage_started' && event.stage === stage) stop.abort(stopRequested());
        },
      });
      expect(events.at(-1)).toMatchObject({ end: { outcome: 'stopped' } });
      const last = { docket: 'docketed', rebuttals: 'rebutted', second_ballots: 'recast' } as const;
      expect(only(events, last[stage])).toEqual([]);
    },
  );
});

/** The script without what was said before. */
function withoutSaid(script: Script, kept: readonly TurnEvent[]): Script {
  const said = (key: string, of: readonly string[]) => Number(of.includes(key));
  const answered = only(kept, 'answered').map(({ answer }) => answer.sage);
  const rebutted = only(kept, 'rebutted').map(({ rebuttal: { sage } }) => sage);
  const reviewed = only(kept, 'reviewed').map(({ review }) => review.reviewer);
  const recast = only(kept, 'recast').map(({ ballot }) => ballot.reviewer);
  const rest = (
    lines: Readonly<Record<string, readonly Line[]>>,
    ...passed: readonly (readonly string[])[]
  ) =>
    Object.fromEntries(
      Object.entries(lines).map(([key, of]) => [
        key,
        of.slice(passed.reduce((sum, one) => sum + said(key, one), 0)),
      ]),
    );
  return {
    moderator: script.moderator?.slice(only(kept, 'seated').length) ?? [],
    sages: rest(script.sages ?? {}, answered, rebutted),
    reviews: rest(script.reviews ?? {}, reviewed, recast),
    chair:
      script.chair?.slice(only(kept, 'docketed').length + only(kept, 'concluded').length) ?? [],
  };
}

function passedIn(kept: readonly TurnEvent[]): PassedCheckpoints {
  const [seated] = only(kept, 'seated');
  const [docketed] = only(kept, 'docketed');
  const [concluded] = only(kept, 'concluded');
  return {
    ...(seated ? { seated: seated.seated } : {}),
    answers: only(kept, 'answered').map(({ answer }) => answer),
    reviews: only(kept, 'reviewed').map(({ review }) => review),
    ...(docketed
      ? {
          round: {
            docket: docketed.docket,
            rebuttals: only(kept, 'rebutted').map(({ rebuttal: one }) => one),
            recasts: only(kept, 'recast').map(({ ballot }) => ballot),
          },
        }
      : {}),
    ...(concluded ? { verdict: concluded.verdict } : {}),
  };
}
