const levels: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'info',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
};

/**
 * Formats a JSON log line for a terminal: UTC time, level, message, and other fields as `name=value`. An error's stack
 * follows on its own lines. A line that is not JSON stays unchanged.
 */
export function readableLine(line: string): string {
  const fields = parseObject(line);
  if (fields === undefined) return line;
  const { level, time, msg, err, ...others } = fields;
  const values = Object.entries(others).map(([name, value]) => `  ${name}=${shown(value)}`);
  const stack = isObject(err) ? `\n    ${shown(err.stack ?? err.message).replaceAll('\n', '\n    ')}` : '';
  const label = levels[Number(level)] ?? String(level);
  return `${String(time).slice(11, 19)} ${label.padEnd(5)} ${shown(msg)}${values.join('')}${stack}\n`;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
