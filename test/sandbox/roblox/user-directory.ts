import { clock } from '../../../src/lib/clock.js';
import { nextGameId } from './game-ids.js';

/** An item in a person's inventory. */
export interface SandboxItem {
  kind: 'badge' | 'game_pass' | 'asset';
  id: string;
}

/** A Roblox account. `id` is a numeric string; the object always shows the present state. */
export interface SandboxGameUser {
  readonly id: string;
  readonly username: string;
  readonly displayName: string;
  readonly createdAt: Date;
  readonly about: string;
  readonly banned: boolean;
  readonly formerNames: readonly string[];
  readonly premium: boolean;
  readonly items: readonly SandboxItem[];
  readonly inventoryPrivate: boolean;
}

export interface NewGameUser {
  username: string;
  displayName?: string | undefined;
  /** Two years ago when left out. */
  createdAt?: Date | undefined;
  about?: string | undefined;
  banned?: boolean | undefined;
  formerNames?: string[] | undefined;
}

type StoredUser = { -readonly [Key in keyof SandboxGameUser]: SandboxGameUser[Key] };

const twoYearsInMs = 2 * 365 * 24 * 60 * 60 * 1000;

/** All accounts, found by id, by present name and by former name (names compare without case, as on Roblox). */
export class UserDirectory {
  readonly #byId = new Map<string, StoredUser>();
  readonly #byName = new Map<string, StoredUser>();
  readonly #byFormerName = new Map<string, StoredUser>();

  get size(): number {
    return this.#byId.size;
  }

  /** Throws when the username is taken. */
  add(input: NewGameUser): SandboxGameUser {
    this.#refuseTakenName(input.username);
    const user: StoredUser = {
      id: nextGameId(),
      username: input.username,
      displayName: input.displayName ?? input.username,
      createdAt: input.createdAt ?? new Date(clock.epochMs() - twoYearsInMs),
      about: input.about ?? '',
      banned: input.banned ?? false,
      formerNames: input.formerNames ?? [],
      premium: false,
      items: [],
      inventoryPrivate: false,
    };
    this.#byId.set(user.id, user);
    this.#byName.set(user.username.toLowerCase(), user);
    for (const name of user.formerNames) this.#byFormerName.set(name.toLowerCase(), user);
    return user;
  }

  find(id: string): SandboxGameUser | undefined {
    return this.#byId.get(id);
  }

  /** The user by this name; a former name counts only while no user has it now. */
  findByName(name: string): SandboxGameUser | undefined {
    const key = name.toLowerCase();
    return this.#byName.get(key) ?? this.#byFormerName.get(key);
  }

  /** Throws when there is no such user. */
  get(id: string): SandboxGameUser {
    return this.#stored(id);
  }

  /** The first `limit` users in the order in which they were added. */
  list(limit: number): SandboxGameUser[] {
    const users: SandboxGameUser[] = [];
    for (const user of this.#byId.values()) {
      if (users.length === limit) break;
      users.push(user);
    }
    return users;
  }

  rename(id: string, username: string): void {
    const user = this.#stored(id);
    if (username.toLowerCase() !== user.username.toLowerCase()) this.#refuseTakenName(username);
    this.#byName.delete(user.username.toLowerCase());
    this.#byFormerName.set(user.username.toLowerCase(), user);
    user.formerNames = [...user.formerNames, user.username];
    user.username = username;
    this.#byName.set(username.toLowerCase(), user);
  }

  setPremium(id: string, premium: boolean): void {
    this.#stored(id).premium = premium;
  }

  setInventoryPrivate(id: string, isPrivate: boolean): void {
    this.#stored(id).inventoryPrivate = isPrivate;
  }

  giveItem(id: string, item: SandboxItem): void {
    this.takeItem(id, item);
    this.#stored(id).items = [...this.#stored(id).items, item];
  }

  takeItem(id: string, item: SandboxItem): void {
    const user = this.#stored(id);
    user.items = user.items.filter((held) => held.kind !== item.kind || held.id !== item.id);
  }

  setAbout(id: string, about: string): void {
    this.#stored(id).about = about;
  }

  setBanned(id: string, banned: boolean): void {
    this.#stored(id).banned = banned;
  }

  remove(id: string): void {
    const user = this.#stored(id);
    this.#byId.delete(id);
    this.#byName.delete(user.username.toLowerCase());
    for (const [name, owner] of this.#byFormerName) if (owner === user) this.#byFormerName.delete(name);
  }

  #refuseTakenName(username: string): void {
    if (this.#byName.has(username.toLowerCase())) throw new Error(`The Roblox username ${username} is taken.`);
  }

  #stored(id: string): StoredUser {
    const user = this.#byId.get(id);
    if (!user) throw new Error(`There is no Roblox user ${id}.`);
    return user;
  }
}
