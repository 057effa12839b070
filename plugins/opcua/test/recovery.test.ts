import { createServer } from 'node:net';
import { expect } from 'chai';
import { DataType } from '@tagway/sdk';
import { callOf, listenOn, ReportRecorder, until } from '@tagway/testkit';
import { pointsOf, Fixture } from './fixture.ts';
import { Server } from './server.ts';

const points = pointsOf(['1!Int32', DataType.INT32], ['1!tag1', DataType.INT16]);

describe('an OPC UA server that goes away', function () {
  this.timeout(40_000);
  let server: Server;

  before(async () => {
    server = await Server.start({ counting: 2 });
  });
  after(() => server?.[Symbol.asyncDispose]());

  it('killed and started again: error 3002 in between, then reads and monitored values, without a restart of the node', async () => {
    await using fixture = await Fixture.connected({
      url: server.url,
      update_mode: 1,
      publishing_interval: 20,
    });
    fixture.record.sleepSpeed = 5;
    const watch = fixture.watch(points);
    await until('the values are there', () => watch.latest[1] === 1);
    await server.kill();
    await until('the link is down', () => !fixture.isUp);
    expect(await fixture.read(points)).to.equal(3002);
    expect(await fixture.write([[points[0]!, 1]])).to.deep.equal([3002]);
    expect(fixture.isUp).to.equal(false);
    await server.start();
    await server.set('tag1', 50);
    await until('there is a session again', () => fixture.isUp);
    await until('the new value is there', () => watch.latest[1] === 50);
    expect(await fixture.read(points)).to.deep.equal([-2_147_483_648, 50]);
    expect(fixture.lines.filter((line) => line.includes('is lost'))).to.have.length(1);
    await server.set('tag1', 1);
  });

  it('hung: a read ends at its deadline, the link goes down, and comes back with the server', async () => {
    await using fixture = await Fixture.connected({
      url: server.url,
      update_mode: 1,
      publishing_interval: 20,
      timeout: 1000,
    });
    const watch = fixture.watch(points);
    await until('the values are there', () => watch.latest[1] === 1);
    server.freeze();
    const begin = performance.now();
    expect(await fixture.read(points)).to.be.oneOf([3015, 3002]);
    expect(performance.now() - begin).to.be.lessThan(5_000);
    await until('the link is down', () => !fixture.isUp);
    expect(await fixture.read(points)).to.equal(3002);
    server.thaw();
    await until('there is a session again', () => fixture.isUp);
    await until('the values are there', () => watch.latest[1] === 1);
  });

  it('silent without a read under way: the link notices by itself', async () => {
    await using fixture = await Fixture.connected({ url: server.url, timeout: 1000 });
    server.freeze();
    await until('the link is down', () => !fixture.isUp);
    server.thaw();
    await until('there is a session again', () => fixture.isUp);
  });

  it('a read that is aborted settles at once', async () => {
    await using fixture = await Fixture.connected({ url: server.url, timeout: 20_000 });
    server.freeze();
    const abort = new AbortController();
    const reading = fixture.driver
      .read(points, new ReportRecorder(2), callOf('poll', abort.signal))
      .catch((error: unknown) => error);
    abort.abort();
    expect(await reading).to.include({ code: 3015 });
    server.thaw();
    expect(await fixture.read(points), 'the late answer is not taken for the next one').to.deep.equal([
      -2_147_483_648, 1,
    ]);
  });

  it('stops within its deadline while the server hangs', async () => {
    await using fixture = await Fixture.connected({ url: server.url, update_mode: 1 });
    fixture.watch(points);
    server.freeze();
    const begin = performance.now();
    await fixture.stop();
    expect(performance.now() - begin).to.be.lessThan(4_500);
    server.thaw();
    await until('the server is back', async () => (await server.get('tag1')) === 1);
  });

  it('absent at the start: says so once, tries on, and is there when the server is', async () => {
    await server.kill();
    await using fixture = new Fixture({ url: server.url, update_mode: 1, publishing_interval: 20 });
    fixture.record.sleepSpeed = 5;
    await fixture.driver.start();
    const watch = fixture.watch(points);
    expect(watch.latest).to.deep.equal([3002, 3002]);
    expect(await fixture.read(points)).to.equal(3002);
    await server.start();
    await until('there is a session', () => fixture.isUp);
    await until('the values are there', () => watch.latest[1] === 1);
    expect(fixture.lines[0]).to.match(/There is no OPC UA server at opc\.tcp:.*nobody listens/);
    expect(fixture.lines.filter((line) => line.includes('no OPC UA server'))).to.have.length(1);
  });

  it('something else that listens and never answers: an attempt has a deadline', async () => {
    await using mute = await listenOn(createServer());
    await using fixture = new Fixture({ url: `opc.tcp://127.0.0.1:${mute.port}`, timeout: 1000 });
    await fixture.driver.start();
    await until('the log says so', () => fixture.lines.length > 0);
    expect(fixture.lines[0]).to.match(/does not answer|came about/);
  });
});
