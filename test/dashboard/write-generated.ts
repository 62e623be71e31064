import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../structure/source-files.js';
import { generatedFiles } from './generated-files.js';

// `npm run generate`: writes the files that are made from others.
for (const [path, text] of Object.entries(await generatedFiles())) writeFileSync(join(root, path), text);
