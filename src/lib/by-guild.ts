/** Groups items by their guild, in their order. Pure. */
export function byGuild<T extends { guildId: string }>(items: readonly T[]): Map<string, T[]> {
  const grouped = new Map<string, T[]>();
  for (const item of items) {
    const others = grouped.get(item.guildId);
    if (others === undefined) grouped.set(item.guildId, [item]);
    else others.push(item);
  }
  return grouped;
}
