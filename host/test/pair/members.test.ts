import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { EtcdCluster, etcdSkipped, hasEtcd } from '@tagway/testkit/etcd-cluster';
import { Etcd } from '../../src/pair/etcd/etcd.ts';
import { type Member, Members } from '../../src/pair/members.ts';

async function until(done: () => boolean): Promise<void> {
  for (let i = 0; i < 300 && !done(); i++) await delay(50);
  expect(done()).to.equal(true);
}

describe(`the gateways of a pair that are there${etcdSkipped}`, function () {
  this.timeout(40_000);
  let cluster: EtcdCluster;
  let etcd: Etcd;
  const started: Members[] = [];
  const warnings: string[] = [];

  before(async function () {
    if (!hasEtcd) return this.skip();
    cluster = await EtcdCluster.start();
    etcd = new Etcd({ endpoints: cluster.endpoints });
  });
  afterEach(async () => {
    for (const members of started.splice(0)) await members.close();
    warnings.splice(0);
  });
  after(async () => {
    etcd?.close();
    await cluster?.[Symbol.asyncDispose]();
  });

  const start = (own: () => Member, pairId = 'plant1'): Members => {
    const log = { warn: (line: string) => void warnings.push(line) };
    const members = new Members({ etcd, pairId, own, log });
    started.push(members);
    void members.start();
    return members;
  };
  const memberOf = (name: string): Member => ({
    name,
    url: `http://${name}:7000`,
    ready: false,
    version: '1.0.0',
    applied: 1,
  });

  it('see each other, what becomes of the other, and that it goes', async () => {
    let east = memberOf('east/2');
    const west = start(() => memberOf('west'));
    const other = start(() => east);
    start(() => memberOf('stranger'), 'plant2');
    await until(() => west.others.length === 1 && other.others.length === 1);
    expect([west.others, other.others]).to.deep.equal([[east], [memberOf('west')]]);
    east = { ...east, ready: true, applied: 7 };
    await until(() => west.others[0]?.applied === 7);
    expect(west.others).to.deep.equal([east]);
    await other.close();
    await until(() => west.others.length === 0);
  });

  it('see each other again when somebody has deleted what etcd had of them', async () => {
    const west = start(() => memberOf('west'));
    const east = start(() => memberOf('east'));
    await until(() => west.others.length === 1 && east.others.length === 1);
    await cluster.delete('/tagway/plant1/member/west');
    await until(() => east.others.length === 0);
    await until(() => east.others.length === 1);
  });

  it('warn of one that has the same name, once, and leave it in its place', async () => {
    const first = memberOf('west');
    const looker = start(() => memberOf('east'));
    start(() => first);
    await until(() => looker.others.length === 1);
    start(() => ({ ...first, url: 'http://other:7000' }));
    await until(() => warnings.length === 1);
    await delay(1200);
    expect(warnings).to.deep.equal([
      'Two gateways of the pair are called "west": this one, and the one at http://west:7000. Start each with a --name of its own.',
    ]);
    expect(looker.others).to.deep.equal([first]);
  });

  it('are unknown while etcd does not answer, and there again once it does', async () => {
    const west = start(() => memberOf('west'));
    start(() => memberOf('east'));
    await until(() => west.others.length === 1);
    cluster.stop(0);
    await until(() => west.others.length === 0);
    cluster.continue(0);
    await until(() => west.others.length === 1);
  });
});
