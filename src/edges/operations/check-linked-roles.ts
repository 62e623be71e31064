import { config } from '../../config/config.js';
import { readOwnApplication } from '../../platforms/discord/own-application.js';
import { areRegistered } from '../../platforms/discord/role-connections.js';
import { type Check, type Finding, off, ok, warning } from './finding.js';
import { linkedRoleRecords, verificationUrl } from './linked-role-records.js';

/** The facts registered for Linked Roles, and the address where people connect themselves. */
export const checkLinkedRoles: Check = {
  name: 'Linked Roles',
  async run() {
    const { length } = config().linkedRoles;
    if (length === 0) return [off('off, since LINKED_ROLES is not set.', 'linked_roles_off')];
    const application = await readOwnApplication();
    const findings: Finding[] = [];
    if (!(await areRegistered(application.applicationId, linkedRoleRecords()))) {
      const says = 'Discord does not know the facts of LINKED_ROLES.';
      const todo = 'Start the service, which registers them. If it is running, its log says what Discord refuses.';
      findings.push(warning('linked_roles_not_registered', says, todo));
    }
    if (application.verificationUrl !== verificationUrl()) {
      const page = `https://discord.com/developers/applications/${application.applicationId}/information`;
      const todo = `Open ${page} → Linked Roles Verification URL: ${verificationUrl()}`;
      const says = 'Discord sends people who connect themselves for Linked Roles somewhere else, or nowhere.';
      findings.push(warning('linked_roles_url_wrong', says, todo, { link: page, url: verificationUrl() }));
    }
    return findings.length > 0 ? findings : [ok(`facts registered: ${length}.`, 'linked_roles_ok', { count: length })];
  },
};
