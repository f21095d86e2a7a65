import { z } from 'zod';
import type { Installation, Json } from '../world/records.ts';
import type { World } from '../world/world.ts';
import { Refusal } from './refusal.ts';

/** How often a method may be called in one workspace; see `limits.ts`. */
export type Tier = 1 | 2 | 3 | 4 | 'posting' | 'unlimited';

/** A method of the Web API as the fake serves it. */
export interface Method {
  readonly name: string;
  /** `bot`: with an installation's token. `app`: with the app's own. `open`: with neither. */
  readonly access: 'bot' | 'app' | 'open';
  /** The scopes that it needs, all of them. */
  readonly scopes: readonly string[];
  readonly tier: Tier;
  /** Its arguments; what is not among them Slack passes over, and the fake notes. */
  readonly schema: z.ZodObject;
  /** Slack's word for a bad argument, where it is not `invalid_arguments`. */
  readonly codes: Readonly<Record<string, string>>;
  /** Gives what is answered besides `ok: true`. Throws a `Refusal`. */
  run(world: World, args: Json, installation: Installation | undefined): Promise<Json>;
}

type NamesOf<Arguments> = Arguments extends unknown ? keyof Arguments : never;

/** The vendor's names of a method's arguments: `args: {…} satisfies NamedAs<ChatUpdateArguments>`. */
export type NamedAs<Arguments> = Partial<Record<NamesOf<Arguments>, z.ZodType>>;

interface Parts<Shape extends z.ZodRawShape> {
  readonly name: string;
  readonly tier: Tier;
  readonly args: Shape;
  readonly codes?: Readonly<Record<string, string>>;
}

type Args<Shape extends z.ZodRawShape> = z.infer<z.ZodObject<Shape>>;

/** A method that is called in the name of an installation. */
export function botMethod<const Shape extends z.ZodRawShape>(
  parts: Parts<Shape> & {
    readonly scopes?: readonly string[];
    run(world: World, args: Args<Shape>, installation: Installation): Promise<Json> | Json;
  },
): Method {
  const schema = z.object(parts.args);
  return {
    name: parts.name,
    access: 'bot',
    scopes: parts.scopes ?? [],
    tier: parts.tier,
    schema,
    codes: parts.codes ?? {},
    run: async (world, args, installation) => {
      if (installation === undefined) throw new Refusal('not_authed');
      return parts.run(world, schema.parse(args), installation);
    },
  };
}

/** A method that no installation is needed for. */
export function appMethod<const Shape extends z.ZodRawShape>(
  parts: Parts<Shape> & {
    readonly access: 'app' | 'open';
    run(world: World, args: Args<Shape>): Promise<Json> | Json;
  },
): Method {
  const schema = z.object(parts.args);
  return {
    name: parts.name,
    access: parts.access,
    scopes: [],
    tier: parts.tier,
    schema,
    codes: parts.codes ?? {},
    run: async (world, args) => parts.run(world, schema.parse(args)),
  };
}
