import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { root } from '../structure/source-files.js';
import { generatedFiles } from './generated-files.js';

describe('The generated files', () => {
  it('The generated files are those of the service and the theme as they are now', async () => {
    const files = await generatedFiles();
    expect(Object.keys(files)).to.have.length(3);
    for (const [path, text] of Object.entries(files)) {
      expect(readFileSync(join(root, path), 'utf8') === text, `${path} is old: npm run generate`).to.equal(true);
    }
  });
});
