import { GroupDirectory } from './group-directory.js';
import { UserDirectory } from './user-directory.js';

/** Everything that the sandbox's Roblox knows, in memory. */
export class RobloxState {
  readonly users = new UserDirectory();
  readonly groups = new GroupDirectory();
}
