import { buildVersion } from '../../lib/build-version.js';

// `rolelink version`
const { version, commit } = buildVersion();
process.stdout.write(`Rolelink ${version}, commit ${commit}, on Node ${process.versions.node}\n`);
