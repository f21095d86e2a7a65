/** The names under which programs find the council: as it is set, at a depth, with a preset, or one sage of it. */

import type { Choice } from '../../../domain/asking.ts';
import { wishedDepths } from '../../../domain/turn.ts';
import type { Offered } from '../question.ts';
import { V1Failure } from './failure.ts';

const council = 'council';

/** All names of a place, the council first. */
export function modelIds({ presets, sages }: Offered): readonly string[] {
  return [
    council,
    ...wishedDepths.map((depth) => `${council}-${depth}`),
    ...presets.map(({ value }) => `${council}/${value}`),
    ...sages.map(({ key }) => `sage/${key}`),
  ];
}

/** Whom a name asks for; nothing of it: the council as its place is set. Whether there is such a preset or sage is for its place to say. @throws {V1Failure} */
export function askedBy(model: string): Choice {
  if (model === council) return {};
  const depth = wishedDepths.find((one) => model === `${council}-${one}`);
  if (depth) return { depth };
  const [, kind, key] = /^(council|sage)\/(.{1,100})$/s.exec(model) ?? [];
  if (kind === undefined || key === undefined) throw unknownModel(model);
  return kind === council ? { preset: key } : { sages: [key] };
}

/** The name under which a question was asked, as far as its wishes tell. */
export function modelNamed({ depth, preset, sages = [] }: Choice): string {
  if (preset !== undefined) return `${council}/${preset}`;
  if (sages[0] !== undefined) return `sage/${sages[0]}`;
  return depth === undefined ? council : `${council}-${depth}`;
}

/** @throws {V1Failure} where a preset or a sage is not offered. */
export function assertOffered(model: string, asked: Choice, { presets, sages }: Offered): void {
  const isThere =
    (asked.preset === undefined || presets.some(({ value }) => value === asked.preset)) &&
    (asked.sages ?? []).every((sage) => sages.some(({ key }) => key === sage));
  if (!isThere) throw unknownModel(model);
}

export function unknownModel(model: string): V1Failure {
  const name = model.slice(0, 100).replace(/[^\x20-\x7e]/g, '?');
  const text = `There is no model “${name}” here. \`GET /v1/models\` lists those that there are.`;
  return new V1Failure(404, 'model_not_found', text, 'model');
}
