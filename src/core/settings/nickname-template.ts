/** `{groupRank:123}` and `{groupRole:123}` use the member's highest role in that group. */
export const placeholder = /\{(?:(gameUsername|gameDisplayName|chatUsername)|(groupRank|groupRole):(\d+))\}/g;

export function groupIdsOfTemplate(template: string): string[] {
  return [...template.matchAll(placeholder)].flatMap((match) => match[3] ?? []);
}

/** Texts in curly brackets that are not placeholders and would stay in the nickname. */
export function unknownPlaceholders(template: string): string[] {
  return template.replaceAll(placeholder, '').match(/\{[^{}]*\}/g) ?? [];
}
