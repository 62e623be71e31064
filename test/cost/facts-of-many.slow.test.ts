import { testFactsOf } from './facts-of-many.js';

testFactsOf(4_000, 80);
