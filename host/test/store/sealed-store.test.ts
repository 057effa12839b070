import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Store, StoreChanges } from '../../src/core/ports/ports.ts';
import { sealedSettings } from '../../src/core/access/secrets.ts';
import { loadSecretsKey, readSecretsKey } from '../../src/machine/secrets-key.ts';
import { SealedStore } from '../../src/store/sealed-store.ts';

/** Records in memory, as texts. */
class Records implements Store {
  readonly texts = new Map<string, string>();

  load(): Promise<[string, unknown][]> {
    return Promise.resolve([...this.texts].map(([key, text]) => [key, JSON.parse(text) as unknown]));
  }

  commit({ set = [], delete: deleted = [] }: StoreChanges): Promise<void> {
    for (const [key, record] of set) this.texts.set(key, JSON.stringify(record));
    for (const key of deleted) this.texts.delete(key);
    return Promise.resolve();
  }

  get all(): string {
    return [...this.texts.values()].join('\n');
  }
}

const schema = { properties: { host: { type: 'string' }, password: { type: 'string', writeOnly: true } } };
const node = { name: 'line', plugin: 'p', params: { host: 'h', password: 'swordfish' } };
const key = randomBytes(32);
const open = (
  records: Records,
  with_ = key,
  schemaOf: () => object | undefined = () => schema,
): SealedStore => new SealedStore(records, with_, schemaOf);

describe('a store that seals secrets', () => {
  it('holds them encrypted, differently each time, and gives them back', async () => {
    const records = new Records();
    const store = open(records);
    await store.commit({
      set: [
        ['node/1', node],
        ['node/2', node],
        ['user/a', { hash: 'x' }],
      ],
    });
    expect(records.all).to.include('"host":"h"').and.to.include('"hash":"x"').and.to.not.include('swordfish');
    expect(records.texts.get('node/1')).to.not.equal(records.texts.get('node/2'));
    expect(await open(records).load()).to.deep.equal([
      ['node/1', node],
      ['node/2', node],
      ['user/a', { hash: 'x' }],
    ]);
  });

  it('seals at once what an older gateway has stored in clear', async () => {
    const records = new Records();
    records.texts.set('node/1', JSON.stringify(node));
    expect(await open(records).load()).to.deep.equal([['node/1', node]]);
    expect(records.all).to.not.include('swordfish');
    expect(await open(records).load()).to.deep.equal([['node/1', node]]);
  });

  it('leaves what another key has sealed as it is, until that key is back', async () => {
    const records = new Records();
    await open(records).commit({ set: [['node/1', node]] });
    const other = open(records, randomBytes(32));
    const [[, record] = []] = await other.load();
    const { params } = record as typeof node;
    expect(sealedSettings(params)).to.deep.equal(['password']);
    await other.commit({ set: [['node/1', { ...node, params, name: 'renamed' }]] });
    expect(await open(records).load()).to.deep.equal([['node/1', { ...node, name: 'renamed' }]]);
  });

  it('takes no secret of one node for that of another', async () => {
    const records = new Records();
    await open(records).commit({ set: [['node/1', node]] });
    records.texts.set('node/2', records.texts.get('node/1') ?? '');
    const second = (await open(records).load())[1]?.[1] as typeof node;
    expect(sealedSettings(second.params)).to.deep.equal(['password']);
  });

  it('seals them also while the plugin is missing', async () => {
    const records = new Records();
    await open(records).commit({ set: [['node/1', node]] });
    const store = open(records, key, () => undefined);
    expect(await store.load()).to.deep.equal([['node/1', node]]);
    await store.commit({ set: [['node/1', { ...node, name: 'renamed' }]] });
    expect(records.all).to.include('renamed').and.to.not.include('swordfish');
    expect(await open(records).load()).to.deep.equal([['node/1', { ...node, name: 'renamed' }]]);
  });
});

describe('the key of secrets', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'tagway-key-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is made once, for the eyes of the gateway alone', async () => {
    const { key: made } = await loadSecretsKey(join(folder, 'keys'));
    const file = join(folder, 'keys', 'secrets.key');
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect((await loadSecretsKey(join(folder, 'keys'))).key.equals(made)).to.equal(true);
    expect((await readSecretsKey(file)).key.equals(made)).to.equal(true);
  });

  it('is made anew when its file holds none, which is kept and told', async () => {
    const file = join(folder, 'secrets.key');
    writeFileSync(file, 'no key');
    chmodSync(file, 0o600);
    const { key: made, warning } = await loadSecretsKey(folder);
    expect(made).to.have.lengthOf(32);
    expect(warning).to.match(/holds no key\. It was put aside as .*secrets\.key\.unusable/);
    expect(readFileSync(`${file}.unusable`, 'utf8')).to.equal('no key');
  });

  it('of an operator that everybody may read is closed, and that is said once', async () => {
    const file = join(folder, 'shared.key');
    writeFileSync(file, randomBytes(32).toString('base64'));
    chmodSync(file, 0o644);
    expect((await readSecretsKey(file)).warning).to.include('(mode 644): that right is taken away');
    expect(statSync(file).mode & 0o777).to.equal(0o640);
    expect((await readSecretsKey(file)).warning).to.equal(undefined);
  });

  it('of an operator is refused with a sentence when it is none', async () => {
    const file = join(folder, 'shared.key');
    const messageOf = (): Promise<string> =>
      readSecretsKey(file).then(
        () => '',
        (error: unknown) => (error as Error).message,
      );
    expect(await messageOf()).to.match(/^The file of --secrets-key cannot be read: /);
    writeFileSync(file, 'c2hvcnQ=');
    expect(await messageOf()).to.include('openssl rand -base64 32');
  });
});
