import { createServer } from 'node:net';
import { expect } from 'chai';
import { DataType } from '@tagway/sdk';
import { callOf, listening, Taken, until } from '@tagway/testkit';
import { pointsOf, Run } from './run.ts';
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
    await using run = await Run.connected({ url: server.url, update_mode: 1, publishing_interval: 20 });
    run.record.haste = 5;
    const watch = run.watch(points);
    await until('the values are there', () => watch.latest[1] === 1);
    await server.kill();
    await until('the link is down', () => !run.isUp);
    expect(await run.read(points)).to.equal(3002);
    expect(await run.write([[points[0]!, 1]])).to.deep.equal([3002]);
    expect(run.isUp).to.equal(false);
    await server.start();
    await server.set('tag1', 50);
    await until('there is a session again', () => run.isUp);
    await until('the new value is there', () => watch.latest[1] === 50);
    expect(await run.read(points)).to.deep.equal([-2_147_483_648, 50]);
    expect(run.lines.filter((line) => line.includes('is lost'))).to.have.length(1);
    await server.set('tag1', 1);
  });

  it('hung: a read ends at its deadline, the link goes down, and comes back with the server', async () => {
    await using run = await Run.connected({
      url: server.url,
      update_mode: 1,
      publishing_interval: 20,
      timeout: 1000,
    });
    const watch = run.watch(points);
    await until('the values are there', () => watch.latest[1] === 1);
    server.freeze();
    const begin = performance.now();
    expect(await run.read(points)).to.be.oneOf([3015, 3002]);
    expect(performance.now() - begin).to.be.lessThan(5_000);
    await until('the link is down', () => !run.isUp);
    expect(await run.read(points)).to.equal(3002);
    server.thaw();
    await until('there is a session again', () => run.isUp);
    await until('the values are there', () => watch.latest[1] === 1);
  });

  it('silent without a read under way: the link notices by itself', async () => {
    await using run = await Run.connected({ url: server.url, timeout: 1000 });
    server.freeze();
    await until('the link is down', () => !run.isUp);
    server.thaw();
    await until('there is a session again', () => run.isUp);
  });

  it('a read that is aborted settles at once', async () => {
    await using run = await Run.connected({ url: server.url, timeout: 20_000 });
    server.freeze();
    const abort = new AbortController();
    const reading = run.driver
      .read(points, new Taken(2), callOf('poll', abort.signal))
      .catch((error: unknown) => error);
    abort.abort();
    expect(await reading).to.include({ code: 3015 });
    server.thaw();
    expect(await run.read(points), 'the late answer is not taken for the next one').to.deep.equal([
      -2_147_483_648, 1,
    ]);
  });

  it('stops within its deadline while the server hangs', async () => {
    await using run = await Run.connected({ url: server.url, update_mode: 1 });
    run.watch(points);
    server.freeze();
    const begin = performance.now();
    await run.stop();
    expect(performance.now() - begin).to.be.lessThan(4_500);
    server.thaw();
    await until('the server is back', async () => (await server.get('tag1')) === 1);
  });

  it('absent at the start: says so once, tries on, and is there when the server is', async () => {
    await server.kill();
    await using run = new Run({ url: server.url, update_mode: 1, publishing_interval: 20 });
    run.record.haste = 5;
    await run.driver.start();
    const watch = run.watch(points);
    expect(watch.latest).to.deep.equal([3002, 3002]);
    expect(await run.read(points)).to.equal(3002);
    await server.start();
    await until('there is a session', () => run.isUp);
    await until('the values are there', () => watch.latest[1] === 1);
    expect(run.lines[0]).to.match(/There is no OPC UA server at opc\.tcp:.*nobody listens/);
    expect(run.lines.filter((line) => line.includes('no OPC UA server'))).to.have.length(1);
  });

  it('something else that listens and never answers: an attempt has a deadline', async () => {
    await using mute = await listening(createServer());
    await using run = new Run({ url: `opc.tcp://127.0.0.1:${mute.port}`, timeout: 1000 });
    await run.driver.start();
    await until('the log says so', () => run.lines.length > 0);
    expect(run.lines[0]).to.match(/does not answer|came about/);
  });
});
