import { ComponentType } from 'discord-api-types/v10';
import { z } from 'zod';
import type { Component } from './sandbox-model.js';

/** Discord's documentation: 5 rows of 5 buttons or one menu; 40 components in all with IS_COMPONENTS_V2. */
const rowsPerMessage = 5;
const componentsPerMessage = 40;

const customId = z.string().min(1).max(100);
const shared = { id: z.int().optional() };

const button = z
  .looseObject({
    ...shared,
    type: z.literal(ComponentType.Button),
    style: z.int().min(1).max(6),
    label: z.string().max(80).optional(),
    custom_id: customId.optional(),
    url: z.url().max(512).optional(),
    disabled: z.boolean().optional(),
  })
  .refine(({ style, custom_id }) => style >= 5 || custom_id !== undefined, 'A custom id is required')
  .refine(({ style, url }) => (style === 5) === (url !== undefined), 'A url belongs to link buttons, and to no other')
  .refine(({ label, emoji }) => label !== undefined || emoji !== undefined, 'A label or an emoji is required');

const selectFields = {
  ...shared,
  custom_id: customId,
  placeholder: z.string().max(150).optional(),
  min_values: z.int().min(0).max(25).default(1),
  max_values: z.int().min(1).max(25).default(1),
  disabled: z.boolean().default(false),
};

const option = z.looseObject({ label: z.string().min(1).max(100), value: z.string().min(1).max(100) });

const stringSelect = z.looseObject({
  ...selectFields,
  type: z.literal(ComponentType.StringSelect),
  options: z.array(option).min(1).max(25),
});

const autoSelect = z.looseObject({
  ...selectFields,
  type: z.union([
    z.literal(ComponentType.UserSelect),
    z.literal(ComponentType.RoleSelect),
    z.literal(ComponentType.MentionableSelect),
    z.literal(ComponentType.ChannelSelect),
  ]),
});

const textInput = z.looseObject({
  ...shared,
  type: z.literal(ComponentType.TextInput),
  custom_id: customId,
  style: z.int().min(1).max(2),
  label: z.string().max(45).nullish(),
  value: z.string().max(4000).optional(),
  placeholder: z.string().max(100).optional(),
  required: z.boolean().default(true),
  min_length: z.int().min(0).max(4000).nullish(),
  max_length: z.int().min(1).max(4000).nullish(),
});

const row = <T extends z.ZodType>(content: T) =>
  z.looseObject({ ...shared, type: z.literal(ComponentType.ActionRow), components: z.array(content).min(1).max(5) });

const messageRow = row(z.union([button, stringSelect, autoSelect])).refine(
  ({ components }) => components.length === 1 || components.every(({ type }) => type === ComponentType.Button),
  'A select menu fills its row',
);
const text = z.looseObject({ ...shared, type: z.literal(ComponentType.TextDisplay), content: z.string().min(1) });
const thumbnail = z.looseObject({ ...shared, type: z.literal(ComponentType.Thumbnail), media: z.looseObject({}) });
const section = z.looseObject({
  ...shared,
  type: z.literal(ComponentType.Section),
  components: z.array(text).min(1).max(3),
  accessory: z.union([button, thumbnail]),
});
const separator = z.looseObject({
  ...shared,
  type: z.literal(ComponentType.Separator),
  divider: z.boolean().default(true),
  spacing: z.int().min(1).max(2).default(1),
});
const container = z.looseObject({
  ...shared,
  type: z.literal(ComponentType.Container),
  accent_color: z.int().nullable().default(null),
  spoiler: z.boolean().default(false),
  components: z.array(z.discriminatedUnion('type', [messageRow, section, text, separator])).min(1),
});

/** Top-level components of a message: action rows; with IS_COMPONENTS_V2 also texts, sections and containers. */
export const messageComponents = z
  .array(z.discriminatedUnion('type', [messageRow, section, text, separator, container]))
  .max(componentsPerMessage);

/** What may be asked in a modal: text inputs in rows, or inputs and selects under a label, and texts. */
export const modalComponents = z
  .array(
    z.discriminatedUnion('type', [
      row(textInput),
      text,
      z.looseObject({
        ...shared,
        type: z.literal(ComponentType.Label),
        label: z.string().min(1).max(45),
        description: z.string().max(100).optional(),
        component: z.union([textInput, stringSelect, autoSelect]),
      }),
    ]),
  )
  .min(1)
  .max(5);

/** What is wrong with the components as a whole, or undefined: too many rows, V2 without its flag, an id used twice. */
export function componentProblem(components: readonly Component[], isV2: boolean): string | undefined {
  if (!isV2 && components.some(({ type }) => type !== ComponentType.ActionRow)) return 'Only action rows are allowed';
  if (!isV2 && components.length > rowsPerMessage) return `Must be ${rowsPerMessage} or fewer in length.`;
  const all = flattenComponents(components);
  if (all.length > componentsPerMessage) return `Must be ${componentsPerMessage} or fewer in length.`;
  const ids = all.flatMap(({ custom_id }) => custom_id ?? []);
  return new Set(ids).size === ids.length ? undefined : 'Component custom id cannot be duplicated';
}

/** Gives every component its number within the message, as Discord does for those that have none. */
export function numberComponents(components: readonly Component[]): Component[] {
  let last = 0;
  const number = (component: Component): Component => ({
    ...component,
    id: component.id || ++last,
    ...(component.components ? { components: component.components.map(number) } : {}),
    ...(component.component ? { component: number(component.component) } : {}),
    ...(component.accessory ? { accessory: number(component.accessory) } : {}),
  });
  return components.map(number);
}

/** All components, nested ones after the one that holds them. */
export function flattenComponents(components: readonly Component[]): Component[] {
  return components.flatMap((component) => {
    const { components: inner = [], component: labelled, accessory } = component;
    const nested = [...inner, ...(labelled ? [labelled] : []), ...(accessory ? [accessory] : [])];
    return [component, ...flattenComponents(nested)];
  });
}
