let held = '';

/** The token just made, until its person has left the page that tries it. It stays in memory. */
export const heldToken = (): string => held;

export function holdToken(token: string): void {
  held = token;
}
