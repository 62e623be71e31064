// Spectral's recommended rules on an OpenAPI document. Gives 1 when one is broken, be it only a hint.
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import spectralCore from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

const [, , file] = process.argv;
const spectral = new spectralCore.Spectral();
spectral.setRuleset({ extends: [[rulesets.oas, 'recommended']] });
const findings = await spectral.run(await readFile(file, 'utf8'));
for (const { code, message, path } of findings) process.stdout.write(`${code} at ${path.join('.')}: ${message}\n`);
process.exitCode = findings.length > 0 ? 1 : 0;
