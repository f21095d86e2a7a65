import { ComponentType } from 'discord-api-types/v10';

/** Any component at any depth; what a walk over a message meets. */
export interface AnyComponent {
  readonly type: ComponentType;
  readonly id?: number;
  readonly custom_id?: string;
  readonly content?: string;
  readonly components?: readonly AnyComponent[];
  readonly accessory?: AnyComponent;
  readonly component?: AnyComponent;
  readonly disabled?: boolean;
  readonly options?: readonly { readonly value: string }[];
  readonly min_values?: number;
  readonly max_values?: number;
}

/** A component and all that is nested in it, from the outside in. */
export function nestedComponents(component: AnyComponent): AnyComponent[] {
  const inside = [component.accessory, component.component, ...(component.components ?? [])];
  return [component, ...inside.flatMap((child) => (child ? nestedComponents(child) : []))];
}

/** All components of a message or a modal, nested ones included. */
export function allComponents(components: readonly AnyComponent[]): AnyComponent[] {
  return components.flatMap(nestedComponents);
}

/** All that a Components V2 message says in text displays. */
export function displayedText(components: readonly AnyComponent[]): string {
  return allComponents(components)
    .filter(({ type }) => type === ComponentType.TextDisplay)
    .map(({ content }) => content ?? '')
    .join('\n');
}
