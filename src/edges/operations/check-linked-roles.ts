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
    if (length === 0) return [off("off, because LINKED_ROLES isn't set.", 'linked_roles_off')];
    const application = await readOwnApplication();
    const findings: Finding[] = [];
    if (!(await areRegistered(application.applicationId, linkedRoleRecords()))) {
      const says = "Discord doesn't know the facts in LINKED_ROLES.";
      const todo =
        "Start the service, which registers them. If it's already running, its log shows what Discord rejects.";
      findings.push(warning('linked_roles_not_registered', says, todo));
    }
    if (application.verificationUrl !== verificationUrl()) {
      const page = `https://discord.com/developers/applications/${application.applicationId}/information`;
      const todo = `Open ${page} → Linked Roles Verification URL: ${verificationUrl()}`;
      const says = 'Discord sends people who connect Linked Roles to the wrong address, or to none.';
      findings.push(warning('linked_roles_url_wrong', says, todo, { link: page, url: verificationUrl() }));
    }
    return findings.length > 0 ? findings : [ok(`facts registered: ${length}.`, 'linked_roles_ok', { count: length })];
  },
};
