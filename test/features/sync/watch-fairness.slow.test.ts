import { describeWatchOf } from './watch-crowd.js';

// RANK-24
describeWatchOf(20_000);
