import { pacing } from '../../src/platforms/link-sources/link-sources.js';

// Loaded into a service by `node --import`: it asks other bots about members without the usual pauses.

pacing.share = 0.005;
pacing.pauseMs = 500;
