import type { Session } from './session.ts';

/** Lines of a page, the most that the API gives. */
const pageSize = 10_000;

/** Collects the lines of the gateway's log that are errors, and counts those that say the same. */
export class LogErrors {
  /** Times by text, in which numbers are left out. */
  readonly counts = new Map<string, number>();
  /** The first line of each text. */
  readonly first = new Map<string, string>();
  #since = Math.floor(Date.now() / 1000) - 1;

  async collect(session: Session): Promise<void> {
    const until = Math.floor(Date.now() / 1000);
    const query = { since: this.#since, until: until - 1, level: 'error', page: 1, page_size: pageSize };
    if (query.until <= query.since) return;
    const { rows } = await session.ok<{ rows: readonly string[] }>('GET', '/log', query);
    this.#since = until;
    for (const row of rows) {
      const text = row.slice(row.indexOf('[')).replaceAll(/\d+/g, '0');
      this.counts.set(text, (this.counts.get(text) ?? 0) + 1);
      if (!this.first.has(text)) this.first.set(text, row);
    }
  }

  get count(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }
}
