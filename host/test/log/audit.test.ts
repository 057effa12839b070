import { appendFile, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { AuditEntry, AuditQuery } from '../../src/core/access/audit.ts';
import { AuditLog } from '../../src/log/audit.ts';

const begin = Date.UTC(2026, 0, 1);
const everything: AuditQuery = {
  since: 0,
  until: 9e9,
  user: '',
  node: '',
  text: '',
  page: 0,
  pageSize: 1000,
};

describe('the audit on disk', () => {
  let folder: string;
  let audit: AuditLog;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tagway-audit-'));
    audit = new AuditLog(folder, { size: 40_000, count: 3 });
  });
  afterEach(async () => {
    audit.close();
    await rm(folder, { recursive: true });
  });

  const entry = (number: number, more: Partial<AuditEntry> = {}): AuditEntry => ({
    time: begin + number * 1000,
    user: `user ${number % 3}`,
    kind: 'user',
    node: `n"${number % 2}`,
    text: `did "${number}"`,
    error: 0,
    ...more,
  });
  const fill = (count: number): void => {
    for (let i = 0; i < count; i++) audit.add(entry(i));
  };
  const ask = async (query: Partial<AuditQuery> = {}): Promise<string[]> =>
    (await audit.query({ ...everything, ...query })).entries.map(({ text }) => text);

  it('gives entries back as they were put, newest first', async () => {
    const full = entry(1, {
      before: { a: 1 },
      after: { a: 'ü\n"' },
      from: '::1',
      status: 200,
      issuer: 'portal',
    });
    audit.add(entry(0));
    audit.add(full);
    expect((await audit.query(everything)).entries).to.deep.equal([full, entry(0)]);
  });

  it('gives them page by page, as a whole exactly those that there are', async () => {
    fill(250);
    const texts: string[] = [];
    for (let page = 0; page < 3; page++) {
      const { entries, pageCount } = await audit.query({ ...everything, page, pageSize: 100 });
      expect(pageCount).to.equal(3);
      texts.push(...entries.map(({ text }) => text));
    }
    expect(texts).to.deep.equal(Array.from({ length: 250 }, (_, i) => `did "${249 - i}"`));
  });

  it('is filtered by time, by exact names and by text', async () => {
    fill(30);
    expect(await ask({ user: 'user 1', node: 'n"0', since: begin / 1000 + 10 })).to.deep.equal([
      'did "28"',
      'did "22"',
      'did "16"',
      'did "10"',
    ]);
    expect(await ask({ user: 'user' })).to.deep.equal([]);
    expect(await ask({ text: '"17"' })).to.deep.equal(['did "17"']);
    expect(await ask({ until: begin / 1000 + 2 })).to.deep.equal(['did "1"', 'did "0"']);
  });

  it('takes a name for a user only where it is one', async () => {
    audit.add(entry(1, { after: { user: 'bob' }, text: 'set "user":"bob"', user: 'eve' }));
    expect(await ask({ user: 'bob' })).to.deep.equal([]);
    expect(await ask({ user: 'eve' })).to.have.length(1);
  });

  it('is bounded: the oldest go first', async () => {
    fill(2000);
    const sizes = await Promise.all(
      (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size),
    );
    expect(sizes).to.have.length(3);
    expect(Math.max(...sizes)).to.be.lessThan(41_000);
    const [newest] = await ask();
    expect(newest).to.equal('did "1999"');
    expect(await ask({ text: 'did \\"0\\"' })).to.deep.equal([]);
  });

  it('survives a line that a crash cut off, and says nothing of it', async () => {
    fill(2);
    audit.close();
    const [name = ''] = await readdir(folder);
    await appendFile(join(folder, name), '2026-01-01 00:00:05.000 [NOTICE] audit: {"time":17');
    audit = new AuditLog(folder, { size: 40_000, count: 3 });
    audit.add(entry(7));
    const texts = await ask();
    expect(texts.at(0)).to.equal('did "7"');
    expect(texts.slice(-2)).to.deep.equal(['did "1"', 'did "0"']);
  });

  it('cuts an entry that is too long', async () => {
    audit.add(entry(0, { text: 'x'.repeat(20_000), after: { a: 'y'.repeat(20_000) } }));
    const { entries } = await audit.query(everything);
    expect(JSON.stringify(entries).length).to.be.lessThan(4000);
    expect(entries[0]).to.include({ user: 'user 0', error: 0 });
  });
});
