/** `{groupRank:123}` and `{groupRole:123}` take the member's highest role in that group. */
export const placeholder = /\{(?:(gameUsername|gameDisplayName|chatUsername)|(groupRank|groupRole):(\d+))\}/g;

/** The groups that a nickname template needs to know a person's roles in. */
export function groupIdsOfTemplate(template: string): string[] {
  return [...template.matchAll(placeholder)].flatMap((match) => match[3] ?? []);
}

/** What stands in curly brackets in a template and is no placeholder, so that it would stay as it is. */
export function unknownPlaceholders(template: string): string[] {
  return template.replaceAll(placeholder, '').match(/\{[^{}]*\}/g) ?? [];
}
