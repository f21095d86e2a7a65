import {
  type APIModalInteractionResponseCallbackData,
  type APIModalSubmissionComponent,
  type APITextInputComponent,
  ComponentType,
  type ModalSubmitComponent,
} from 'discord-api-types/v10';

/** What a user puts into a modal, by custom id. What is left out keeps what the modal showed. */
export type ModalValues = Readonly<Record<string, string | readonly string[] | boolean>>;

type LabelledComponent = Extract<
  APIModalInteractionResponseCallbackData['components'][number],
  { type: ComponentType.Label }
>['component'];

/** A filled modal as its submission carries it. @throws Error when Discord would not let it be sent. */
export function modalSubmission(
  modal: APIModalInteractionResponseCallbackData,
  values: ModalValues,
): APIModalSubmissionComponent[] {
  const submitted = modal.components.map((component, index) =>
    submittedComponent(component, index + 1, values),
  );
  refuseUnknown(submitted, values);
  return submitted;
}

function submittedComponent(
  component: APIModalInteractionResponseCallbackData['components'][number],
  position: number,
  values: ModalValues,
): APIModalSubmissionComponent {
  const id = component.id ?? position;
  switch (component.type) {
    case ComponentType.ActionRow:
      return {
        type: component.type,
        id,
        components: component.components.map((input) => ({
          type: input.type,
          id: input.id ?? 0,
          custom_id: input.custom_id,
          value: typed(input, values),
        })),
      };
    case ComponentType.Label:
      return { type: component.type, id, component: filled(component.component, values) };
    case ComponentType.TextDisplay:
      return { type: component.type, id };
  }
}

function filled(component: LabelledComponent, values: ModalValues): ModalSubmitComponent {
  const { custom_id, id = 0 } = component;
  switch (component.type) {
    case ComponentType.TextInput:
      return { type: component.type, id, custom_id, value: typed(component, values) };
    case ComponentType.StringSelect: {
      const shown = component.options.filter((option) => option.default === true);
      const given = values[custom_id];
      const chosen = Array.isArray(given) ? given.map(String) : shown.map(({ value }) => value);
      const unknown = chosen.find(
        (value) => !component.options.some((option) => option.value === value),
      );
      if (unknown !== undefined) throw new Error(`"${unknown}" is no option of "${custom_id}".`);
      return { type: component.type, id, custom_id, values: chosen };
    }
    case ComponentType.Checkbox:
      return {
        type: component.type,
        id,
        custom_id,
        value: values[custom_id] === true || (values[custom_id] ?? component.default) === true,
      };
    default:
      throw new Error(`The fake cannot fill in a modal component of type ${component.type} yet.`);
  }
}

function typed(input: APITextInputComponent, values: ModalValues): string {
  const value = values[input.custom_id] ?? input.value ?? '';
  if (typeof value !== 'string') throw new Error(`"${input.custom_id}" takes a text.`);
  const { min_length: shortest = 0, max_length: longest = 4000 } = input;
  if (input.required !== false && value === '')
    throw new Error(`"${input.custom_id}" is required.`);
  if (value.length > longest || (value !== '' && value.length < shortest)) {
    throw new Error(`"${input.custom_id}" takes ${shortest} to ${longest} characters.`);
  }
  return value;
}

function refuseUnknown(
  submitted: readonly APIModalSubmissionComponent[],
  values: ModalValues,
): void {
  const known = submitted.flatMap((component) => {
    if (component.type === ComponentType.Label) return [component.component.custom_id];
    if (component.type === ComponentType.TextDisplay) return [];
    return component.components.map(({ custom_id }) => custom_id);
  });
  const unknown = Object.keys(values).find((customId) => !known.includes(customId));
  if (unknown !== undefined)
    throw new Error(`The modal has no "${unknown}", only ${known.join(', ')}.`);
}
