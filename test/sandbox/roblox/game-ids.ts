/** Above 2³¹, so that code which keeps Roblox's 64-bit ids in 32 bits fails here and not in production. */
let lastId = 3_000_000_000;

/** A Roblox id (user, group or role) that no other sandbox in this process has given out. */
export function nextGameId(): string {
  lastId += 1;
  return String(lastId);
}
