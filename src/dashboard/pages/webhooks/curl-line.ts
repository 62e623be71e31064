/** A text as one POSIX shell word. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The line for curl that sends the same request: its headers, the signatures among them, and the same bytes. */
export function curlLine(url: string, headers: readonly { name: string; value: string }[], body: string): string {
  const lines = headers.map(({ name, value }) => `-H ${quoted(`${name}: ${value}`)}`);
  return [`curl -i ${quoted(url)}`, ...lines, `--data-binary ${quoted(body)}`].join(' \\\n  ');
}
