/** The settings that all apps for stores have, with the schema's defaults filled in. */
export interface StoreSettings {
  /** Kilobytes of 10^3 bytes. */
  readonly 'batch-size': number;
  /** Milliseconds. */
  readonly 'batch-age': number;
  /** Milliseconds. */
  readonly timeout: number;
  /** Megabytes of 10^6 bytes. */
  readonly 'cache-mem-size': number;
  /** Megabytes of 10^6 bytes. */
  readonly 'cache-disk-size': number;
}

/** What is wrong with the cache, or undefined. */
export function cacheProblem(settings: StoreSettings): string | undefined {
  const memory = settings['cache-mem-size'];
  const disk = settings['cache-disk-size'];
  if (disk > 0 && memory > disk)
    return '"cache-mem-size" must not be larger than "cache-disk-size", unless that is 0 and nothing is kept on disk.';
  if (settings['batch-size'] * 1000 > memory * 1_000_000)
    return '"batch-size" must not be larger than "cache-mem-size".';
  return undefined;
}
