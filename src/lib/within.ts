/** The result of `reading`. @throws Error if there is none after `ms` milliseconds; it may then still go on. */
export function within<T>(ms: number, reading: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`No answer in ${ms} ms.`)), ms);
    reading.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}
