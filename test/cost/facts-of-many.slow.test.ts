import { testFactsOf } from './facts-of-many.js';

testFactsOf(20_000, 400);
