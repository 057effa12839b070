import { expect } from 'chai';
import { Attribute, DataType } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import { pointsOf, Fixture } from './fixture.ts';
import { Server } from './server.ts';

const { INT16, INT32, UINT64, DOUBLE } = DataType;
const { READ, SUBSCRIBE } = Attribute;

describe('monitoring an OPC UA server', function () {
  this.timeout(30_000);
  let server: Server;

  before(async () => {
    server = await Server.start({ counting: 50, limit: 20 });
  });
  after(() => server?.[Symbol.asyncDispose]());

  const subscribing = { update_mode: 1, publishing_interval: 20 };

  it('does not watch in the mode that reads alone', async () => {
    await using fixture = new Fixture({ url: server.url });
    expect(fixture.driver.watch).to.equal(undefined);
  });

  it('reports all values once and then what changes, in requests within the limits of the server', async () => {
    await using fixture = await Fixture.connected({ url: server.url, ...subscribing });
    const counters = Array.from({ length: 49 }, (_, index) => [`1!tag${index + 1}`, INT16] as const);
    const watch = fixture.watch(
      pointsOf(...counters, ['1[1]!Int32Array', INT32], ['1!UInt64', UINT64], ['1!Int32', INT16]),
    );
    const values = [...Array.from({ length: 49 }, (_, index) => index + 1), 20, 0xffff_ffff_ffff_ffffn, 3007];
    await until('every value was reported', () => watch.latest.every((value) => value !== undefined));
    expect(watch.latest).to.deep.equal(values);
    await server.set('tag1', -5);
    await server.set('UInt64', [1, 0]);
    await until(
      'both changes were reported',
      () => watch.latest[0] === -5 && watch.latest[50] === 0x1_0000_0000n,
    );
    expect(watch.polled).to.deep.equal([]);
    await watch.end();
    const { sends } = watch.report;
    await server.set('tag1', 1);
    expect(await fixture.read(pointsOf(['1!tag1', INT16]))).to.deep.equal([1]);
    expect(watch.report.sends, 'reports after the end').to.equal(sends);
  });

  it('keeps groups apart, and goes on with the others when one ends', async () => {
    await using fixture = await Fixture.connected({ url: server.url, ...subscribing });
    const one = fixture.watch(pointsOf(['1!tag2', INT16]));
    const other = fixture.watch(pointsOf(['1!tag3', INT16], ['1!Double', DOUBLE]));
    await until('all are reported', () => one.latest[0] === 2 && other.latest[0] === 3);
    await one.end();
    await server.set('tag2', 22);
    await server.set('tag3', 33);
    await until('the other is reported', () => other.latest[0] === 33);
    expect(one.latest).to.deep.equal([2]);
  });

  it('monitors tags with the attribute SUBSCRIBE and leaves the others to polling, in the mode for both', async () => {
    await using fixture = await Fixture.connected({ url: server.url, ...subscribing, update_mode: 2 });
    const watch = fixture.watch(pointsOf(['1!tag4', INT16, READ], ['1!tag5', INT16, READ | SUBSCRIBE]));
    await until('the second is reported', () => watch.latest[1] === 5);
    expect(watch.latest[0]).to.equal(undefined);
    expect(watch.polled).to.deep.equal([0]);
  });

  it('gives items that the server refuses error 3000, and tries them again', async () => {
    await using fixture = await Fixture.connected({ url: server.url, ...subscribing });
    fixture.record.sleepSpeed = 20;
    const watch = fixture.watch(pointsOf(['1!tag6', INT16], ['1!Late', INT32], ['9!tag6', INT16]));
    await until('there are outcomes', () => watch.latest.every((value) => value !== undefined));
    expect(watch.latest).to.deep.equal([6, 3000, 3000]);
    await server.add('Late');
    await until('the late one is reported', () => watch.latest[1] === 1);
    expect(watch.latest).to.deep.equal([6, 1, 3000]);
  });

  it('leaves to polling what the server has no room to monitor', async () => {
    await using small = await Server.start({ items: 2 });
    await using fixture = await Fixture.connected({ url: small.url, ...subscribing });
    const watch = fixture.watch(pointsOf(['1!Int16', INT16], ['1!Int32', INT32], ['1!Double', DOUBLE]));
    await until('one is left to polling', () => watch.polled.length === 1);
    expect(watch.polled).to.deep.equal([2]);
    await until(
      'the others are reported',
      () => watch.latest[0] === -32_768 && watch.latest[1] === -2_147_483_648,
    );
  });
});
