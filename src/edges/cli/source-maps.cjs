// Stack traces name the lines of the sources. Node's own option reads every file's map at the start, which takes an
// eighth of it. Here a map is read when a trace that needs it is read. Plain JavaScript, since it runs before all else.

const { readFileSync } = require('node:fs');
const { SourceMap } = require('node:module');
const { fileURLToPath, pathToFileURL } = require('node:url');

/** By the name of the compiled file; null for a file without a map. */
const maps = new Map();

function mapOf(file) {
  if (!maps.has(file)) maps.set(file, readMap(file));
  return maps.get(file);
}

function readMap(file) {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${pathOf(file)}.map`, 'utf8')));
  } catch {
    return null;
  }
}

const pathOf = (file) => (file.startsWith('file:') ? fileURLToPath(file) : file);

/** A place in a trace, such as `read (/app/src/main.ts:12:3)`. */
function told(site) {
  const words = String(site);
  const file = site.getFileName();
  if (file === null || file === undefined || file.includes('node_modules') || !file.endsWith('.js')) return words;
  const [line, column] = [site.getLineNumber(), site.getColumnNumber()];
  const entry = mapOf(file)?.findEntry(line - 1, column - 1);
  if (entry?.originalSource === undefined) return words;
  const source = fileURLToPath(new URL(entry.originalSource, pathToFileURL(pathOf(file))));
  return words.replace(`${file}:${line}:${column}`, `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`);
}

function headOf(error) {
  try {
    return String(error);
  } catch {
    return 'Error';
  }
}

Error.prepareStackTrace = (error, sites) => [headOf(error), ...sites.map((site) => `    at ${told(site)}`)].join('\n');
