import { testFactsOf } from './facts-of-many.js';

testFactsOf(300, 30);
