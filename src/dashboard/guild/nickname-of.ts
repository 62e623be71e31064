/** Discord's limit for a nickname. */
const longest = 32;

interface Names {
  chatUsername: string;
  gameUsername: string;
  gameDisplayName: string;
  ranks: readonly { groupId: string; roles: readonly { name: string; rank: number }[] }[];
}

/** The nickname that a template gives for these names, cut as the service cuts it (MAP-23). */
export function nicknameOf(template: string, names: Names): string {
  const filled = template.replace(/\{(\w+)(?::(\d+))?\}/g, (whole, key: string, groupId?: string) => {
    if (key === 'chatUsername' || key === 'gameUsername' || key === 'gameDisplayName') return names[key];
    const held = names.ranks.find((rank) => rank.groupId === groupId)?.roles ?? [];
    const highest = [...held].sort((a, b) => b.rank - a.rank)[0];
    if (key === 'groupRank') return String(highest?.rank ?? 0);
    return key === 'groupRole' ? (highest?.name ?? '') : whole;
  });
  const cut = [...filled.trim()].slice(0, longest).join('').trim();
  return cut === '' ? names.gameUsername : cut;
}
