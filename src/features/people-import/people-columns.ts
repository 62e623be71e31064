/** Names for Discord's side as other bots and spreadsheets write them, the most certain first. */
const chatNames = ['chatuserid', 'discordid', 'discorduserid', 'discord', 'discorduser', 'memberid', 'userid', 'id'];
const gameNames = ['gameuserid', 'robloxid', 'robloxuserid', 'roblox', 'rbxid', 'rbxuserid', 'rbx', 'rblxid'];

/** discordId, DISCORD_ID and "Discord ID" are one name. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}]+/gu, '');

/** Where the two columns or fields stand, from 0; undefined for a side that no name says, or that two say alike. */
export interface Sides {
  chatUserId: number | undefined;
  gameUserId: number | undefined;
}

/** Where a Discord ID and a Roblox ID stand among names in any order (PEOPLE-22). */
export function sidesOf(names: readonly string[]): Sides {
  const there = names.map(plain);
  const placeOf = (known: readonly string[]): number | undefined => {
    const place = there.indexOf(known.find((name) => there.includes(name)) ?? '?');
    return place === -1 || there.lastIndexOf(there[place] ?? '') !== place ? undefined : place;
  };
  return { chatUserId: placeOf(chatNames), gameUserId: placeOf(gameNames) };
}
