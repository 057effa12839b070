import { ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { hasOpenssl } from '../world/certificates.ts';
import type { Client } from '../kit/client.ts';
import { modbusSettings, registerTags } from '../kit/configure.ts';
import { Gateway } from '../kit/gateway.ts';
import { keptLicense, LicenseShop } from '../kit/licenses.ts';

const title = hasOpenssl ? 'a license' : 'a license (skipped: there is no openssl to make one with)';

(hasOpenssl ? describe : describe.skip)(title, function () {
  this.timeout(60_000);
  let shop: LicenseShop;
  let gateway: Gateway;
  let client: Client;

  before(async () => void (shop = await LicenseShop.open()));
  after(() => shop?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    gateway = await Gateway.start({ args: ['--license-ca', shop.authorityFile] });
    client = await gateway.client();
  });
  afterEach(() => gateway?.dispose());

  const license = async () => (await client.call<Record<string, unknown>>('GET', '/license')).body;
  const upload = async (pem: string): Promise<string> => {
    const { status, body } = await client.call('POST', '/license', { license: pem });
    return `${status} ${body.error}`;
  };
  const add = async (name: string, plugin = 'Modbus TCP'): Promise<string> => {
    const { status, body } = await client.call('POST', '/node', { name, plugin });
    return `${status} ${body.error}`;
  };
  const tags = (count: number, first = 0): object[] =>
    registerTags(count).map((tag, i) => ({ ...tag, name: `tag${first + i}` }));

  it('made with the commands of LICENSING.md is shown as it says, and again after a restart', async () => {
    const none = await client.call<{ error: number; hardware_token: string }>('GET', '/license');
    expect([none.status, none.body.error]).to.deep.equal([404, ErrorCode.LICENSE_NOT_FOUND]);
    const { hardware_token } = none.body;
    expect(Buffer.from(hardware_token, 'base64')).to.have.length(32);
    const pem = await shop.license({ type: 'trial', nodes: 3, nodeTags: 5, hardwareToken: hardware_token });
    expect(await upload(pem)).to.equal('200 0');
    const shown = await license();
    expect(shown).to.deep.include({
      error: 0,
      license_type: 'trial',
      valid: true,
      max_nodes: 3,
      max_node_tags: 5,
      used_nodes: 0,
      used_tags: 0,
      enabled_plugins: ['Modbus TCP', 'MQTT'],
      hardware_token,
      object: 'Example Plant',
      email_address: 'plant@example.com',
    });
    for (const key of ['valid_since', 'valid_until'])
      expect(shown[key]).to.match(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    await gateway.restart();
    expect(await license()).to.deep.equal(shown);
  });

  it('that is refused leaves the one before in force', async () => {
    expect(await upload(await shop.license({ nodes: 7 }))).to.equal('200 0');
    expect(await upload(await keptLicense('good'))).to.equal(`400 ${ErrorCode.LICENSE_INVALID}`);
    const foreign = await shop.license({ nodes: 8, hardwareToken: 'bm90IHRoaXMgbWFjaGluZQ==' });
    expect(await upload(foreign)).to.equal(`200 ${ErrorCode.LICENSE_TOKEN_MISMATCH}`);
    expect((await license())['max_nodes']).to.equal(7);
  });

  it('limits nodes, tags of a node and plugins, however they come; what is there stays', async () => {
    for (const name of ['first', 'second', 'third']) expect(await add(name)).to.equal('200 0');
    await client.ok('POST', '/tags', { node: 'first', group: 'g', tags: tags(4) });
    expect(await upload(await shop.license({ nodes: 2, nodeTags: 3 }))).to.equal('200 0');
    expect(await license()).to.include({ used_nodes: 3, used_tags: 4, max_nodes: 2 });

    expect(await add('fourth')).to.equal(`200 ${ErrorCode.LICENSE_MAX_NODES}`);
    await client.ok('DELETE', '/node', { name: 'third' });
    await client.ok('DELETE', '/node', { name: 'second' });
    expect(await add('second', 'MQTT')).to.equal('200 0');
    expect(await add('third')).to.equal(`200 ${ErrorCode.LICENSE_MAX_NODES}`);
    await client.ok('DELETE', '/node', { name: 'second' });
    expect(await add('second')).to.equal('200 0');

    const send = async (node: string, list: object[]) =>
      (await client.call('POST', '/tags', { node, group: 'g', tags: list })).body;
    expect(await send('first', tags(1, 4))).to.deep.include({ index: 0, error: ErrorCode.LICENSE_MAX_TAGS });
    expect(await send('second', tags(5))).to.deep.include({ index: 3, error: ErrorCode.LICENSE_MAX_TAGS });
    const grouped = { node: 'second', groups: [{ group: 'h', interval: 1000, tags: tags(1) }] };
    expect(await client.errorOf('POST', '/gtags', grouped)).to.equal(ErrorCode.LICENSE_MAX_TAGS);

    const groups = [{ name: 'g', interval: 1000, tags: tags(4) }];
    await client.ok('POST', '/template', { name: 't', plugin: 'Modbus TCP', groups });
    const instance = () => client.errorOf('POST', '/template/inst', { name: 't', node: 'x' });
    expect(await instance()).to.equal(ErrorCode.LICENSE_MAX_NODES);
    await client.ok('DELETE', '/node', { name: 'second' });
    expect(await instance()).to.equal(ErrorCode.LICENSE_MAX_TAGS);

    const driver = (name: string, count: number): object => ({
      name,
      plugin: 'Modbus TCP',
      params: modbusSettings(9),
      groups: [{ group: 'g', interval: 1000, tags: tags(count) }],
    });
    const nodes = (...list: object[]) => client.errorOf('PUT', '/global/drivers', { nodes: list });
    expect(await nodes(driver('x', 1), driver('y', 1))).to.equal(ErrorCode.LICENSE_MAX_NODES);
    expect(await nodes(driver('x', 4))).to.equal(ErrorCode.LICENSE_MAX_TAGS);
    expect(await nodes(driver('first', 3), driver('x', 3))).to.equal(0);
    expect(await license()).to.include({ used_nodes: 2, used_tags: 6 });
  });

  it('without which nothing is limited', async () => {
    for (let i = 0; i < 12; i++) expect(await add(`node ${i}`)).to.equal('200 0');
  });

  it('has no effect when its authority is not known any more, and the gateway runs', async () => {
    expect(await upload(await shop.license({ nodes: 1 }))).to.equal('200 0');
    await gateway.restart([]);
    expect((await license())['error']).to.equal(ErrorCode.LICENSE_NOT_FOUND);
    expect(await upload(await shop.license({}))).to.equal(`400 ${ErrorCode.LICENSE_INVALID}`);
    expect(await add('a')).to.equal('200 0');
    expect(await add('b')).to.equal('200 0');
  });
});
