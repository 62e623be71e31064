import { ApiKey } from './api-key.js';
import { GroupDirectory } from './group-directory.js';
import { UniverseDirectory } from './universe-directory.js';
import { UserDirectory } from './user-directory.js';

/** Everything that the sandbox's Roblox knows, in memory. */
export class RobloxState {
  readonly users = new UserDirectory();
  readonly groups = new GroupDirectory();
  readonly universes = new UniverseDirectory();
  readonly key = new ApiKey();
  /** Whether users.roblox.com and groups.roblox.com refuse whoever sends no credentials, as Roblox has announced. */
  olderReadsClosed = false;
}
