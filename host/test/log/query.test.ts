import { appendFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { LogQuery } from '../../src/core/ports/machine.ts';
import { LogReader } from '../../src/log/query.ts';

const begin = Date.UTC(2026, 0, 1) / 1000;
const levels = ['DEBUG', 'INFO', 'NOTICE', 'WARN', 'ERROR', 'FATAL'] as const;

function lineAt(seconds: number, number: number, text = `line ${number}`): string {
  const stamp = new Date(seconds * 1000).toISOString().replace('T', ' ').slice(0, -1);
  return `${stamp} [${levels[number % levels.length]}] gateway: ${text}`;
}

describe('a query of the log', () => {
  let folder: string;
  let reader: LogReader;
  /** Every line there is, oldest first. */
  let lines: string[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tagway-log-query-'));
    reader = new LogReader(folder);
    lines = [];
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  const put = async (name: string, fresh: readonly string[]): Promise<void> => {
    lines.push(...fresh);
    await appendFile(join(folder, name), fresh.map((line) => `${line}\n`).join(''));
  };

  const ask = (query: Partial<LogQuery>) =>
    reader.query({ since: begin, until: begin + 1e6, level: 'trace', page: 0, pageSize: 200, ...query });

  /** All pages, one after the other. */
  const all = async (query: Partial<LogQuery>): Promise<string[]> => {
    const rows: string[] = [];
    let count = 1;
    for (let page = 0; page < count; page++) {
      const answer = await ask({ ...query, page });
      count = answer.pageCount;
      rows.push(...answer.rows);
    }
    return rows;
  };

  const expected = (since: number, until: number, lowest: number): string[] =>
    lines.filter((line) => {
      const time = Date.parse(`${line.slice(0, 23).replace(' ', 'T')}Z`) / 1000;
      const level = levels.findIndex((name) => line.slice(25).startsWith(name));
      return time >= since && time < until && level >= lowest;
    });

  it('finds the lines of any time and level over all files, as looking at each of them does', async () => {
    let number = 0;
    for (const name of ['tagway.2.log', 'tagway.1.log', 'tagway.log']) {
      await put(
        name,
        Array.from({ length: 4000 }, () => lineAt(begin + ++number * 0.25, number)),
      );
    }
    expect(await all({})).to.deep.equal(lines);
    for (const [since, until] of [
      [begin, begin + 1],
      [begin + 100, begin + 1100],
      [begin + 999, begin + 1001],
      [begin + 2500, begin + 2600],
      [begin + 5000, begin + 6000],
      [begin + 7, begin + 7],
    ] as const) {
      for (const [level, lowest] of [
        ['trace', 0],
        ['info', 1],
        ['warn', 3],
        ['fatal', 5],
      ] as const) {
        expect(await all({ since, until, level }), `${since} ${level}`).to.deep.equal(
          expected(since, until, lowest),
        );
      }
    }
  });

  it('gives pages from 0 on, says how many there are, and nothing beyond them', async () => {
    await put(
      'tagway.log',
      Array.from({ length: 1000 }, (_, i) => lineAt(begin + i, i)),
    );
    const { rows, pageCount } = await ask({ page: 1, pageSize: 300 });
    expect(pageCount).to.equal(4);
    expect(rows).to.deep.equal(lines.slice(300, 600));
    expect((await ask({ page: 3, pageSize: 300 })).rows).to.deep.equal(lines.slice(900));
    expect((await ask({ page: 4, pageSize: 300 })).rows).to.deep.equal([]);
    expect((await ask({ page: 999_999_999, pageSize: 10_000 })).rows).to.deep.equal([]);
  });

  it('finds what was logged, and files that were rotated, since the query before', async () => {
    await put('tagway.log', [lineAt(begin, 1)]);
    expect(await all({})).to.deep.equal(lines);
    await put('tagway.log', [lineAt(begin + 1, 2)]);
    expect(await all({})).to.deep.equal(lines);
    await rename(join(folder, 'tagway.log'), join(folder, 'tagway.1.log'));
    await put('tagway.log', [lineAt(begin + 2, 3)]);
    expect(await all({})).to.deep.equal(lines);
  });

  it('finds lines from before and after the clock was set back', async () => {
    await put('tagway.log', [lineAt(begin + 500, 1), lineAt(begin + 600, 2), lineAt(begin + 10, 3)]);
    await put('tagway.log', [lineAt(begin + 20, 4), lineAt(begin + 700, 5)]);
    expect(await all({ until: begin + 100 })).to.deep.equal(lines.slice(2, 4));
    expect(await all({ since: begin + 500 })).to.deep.equal([...lines.slice(0, 2), ...lines.slice(4)]);
  });

  it('passes over what is no line of the log, and gives a line that is being written when it is whole', async () => {
    const junk = ['', 'x', '2026-01-01 00:00:00.000 INFO', '2026-01-01 00:0', '\0\0[', 'é'.repeat(100)].join(
      '\n',
    );
    await writeFile(
      join(folder, 'tagway.log'),
      `${junk}\n${lineAt(begin, 1)}\n${lineAt(begin, 2).slice(0, 40)}`,
    );
    expect((await ask({})).rows).to.deep.equal([lineAt(begin, 1)]);
    await appendFile(join(folder, 'tagway.log'), `${lineAt(begin, 2).slice(40)}\n`);
    expect((await ask({})).rows).to.deep.equal([lineAt(begin, 1), lineAt(begin, 2)]);
  });

  it('survives a file of one endless line', async () => {
    await writeFile(join(folder, 'tagway.1.log'), Buffer.alloc(3_000_000, 'x'));
    await put('tagway.log', [lineAt(begin, 1)]);
    expect(await all({})).to.deep.equal(lines);
  });

  it('gives the beginnings of lines when a page of whole ones would be huge', async () => {
    const long = 'x'.repeat(8000);
    await put(
      'tagway.log',
      Array.from({ length: 3000 }, (_, i) => lineAt(begin + i, i, long)),
    );
    const { rows } = await ask({ pageSize: 10_000 });
    expect(rows).to.have.length(3000);
    expect(rows[0]).to.equal(lines[0]);
    expect(rows[2999]).to.equal(`${lines[2999]?.slice(0, 400)}…`);
    expect(rows.join('').length).to.be.lessThan(12_000_000);
  });

  it('is answered with no rows when there is no log', async () => {
    expect(await new LogReader(join(folder, 'absent')).query(await queryOfAll())).to.deep.equal({
      rows: [],
      pageCount: 0,
    });
  });

  const queryOfAll = async (): Promise<LogQuery> => ({
    since: begin,
    until: begin + 1,
    level: 'trace',
    page: 0,
    pageSize: 200,
  });

  it('is refused as busy when very many wait', async () => {
    await put('tagway.log', [lineAt(begin, 1)]);
    const answers = await Promise.allSettled(Array.from({ length: 140 }, () => ask({})));
    expect(answers.filter(({ status }) => status === 'fulfilled')).to.have.length(100);
    expect((await ask({})).rows).to.deep.equal(lines);
  });
});
