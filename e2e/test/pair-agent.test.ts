import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import { EtcdCluster, etcdSkipped, hasEtcd } from '@tagway/testkit/etcd-cluster';
import { Child } from '../kit/child.ts';
import { addModbus } from '../kit/configure.ts';
import { freePort } from '../kit/free-port.ts';
import { TcpProxy } from '../world/tcp-proxy.ts';
import { useFolder } from '../kit/folder.ts';
import { Gateway } from '../kit/gateway.ts';
import { NotifySocket } from '../kit/notify-socket.ts';
import { processesOf } from '../kit/processes.ts';
import type { ProcessRow } from '../kit/processes.ts';
import { expectRefusal, runGateway } from '../kit/refused-start.ts';
import { until } from '../kit/until.ts';

/** A Modbus device with one register that notes when it is asked. */
class AskedDevice {
  readonly port: number;
  /** Times of `performance.now()`. */
  readonly asked: number[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('data', (request: Buffer) => {
        this.asked.push(performance.now());
        const [first = 0, second = 0] = request;
        socket.write(Buffer.from([first, second, 0, 0, 0, 5, 1, 3, 2, 0, 42]));
      });
    });
  }

  static async listen(): Promise<AskedDevice> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new AskedDevice(server);
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

/** Where the deadline of a gateway's lease stands. */
async function deadlineOf(host: ProcessRow): Promise<string> {
  const variables = await readFile(`/proc/${host.pid}/environ`, 'utf8');
  const name = 'TAGWAY_PAIR_AGENT=';
  return (variables.split('\0').find((one) => one.startsWith(name)) ?? '').slice(name.length);
}

describe(`a gateway of a pair${etcdSkipped}`, function () {
  this.timeout(120_000);
  const folder = useFolder('pair');
  let key: string;
  let cluster: EtcdCluster;
  let device: AskedDevice;
  let deadlines: string[];
  let count = 0;
  let pair = '';
  const gateways: Gateway[] = [];
  const proxies: TcpProxy[] = [];

  before(async function () {
    if (!hasEtcd) return this.skip();
    key = folder('secrets.key');
    await writeFile(key, randomBytes(32).toString('base64'), { mode: 0o600 });
    cluster = await EtcdCluster.start(3);
  });

  beforeEach(async () => {
    deadlines = [];
    pair = `plant${++count}`;
    device = await AskedDevice.listen();
  });

  afterEach(async () => {
    away(false);
    for (const gateway of gateways.splice(0)) await gateway.dispose();
    for (const proxy of proxies.splice(0)) await proxy.shut();
    device?.close();
    for (const file of deadlines) expect(existsSync(file), file).to.equal(false);
  });

  after(() => cluster?.[Symbol.asyncDispose]());

  const start = async (name: string, endpoints = cluster.endpoints): Promise<Gateway> => {
    const port = String(await freePort());
    const args = [
      ...['--pair', endpoints.join(','), '--pair-id', pair],
      ...['--secrets-key', key, '--name', name, '--port', port],
    ];
    const gateway = await Gateway.start({ args });
    gateways.push(gateway);
    return gateway;
  };

  const holder = async (): Promise<string | undefined> => {
    const value = await cluster.value(`/tagway/${pair}/holder`);
    return value && (JSON.parse(value) as { name: string }).name;
  };

  const hostOf = async (gateway: Gateway): Promise<ProcessRow> =>
    until('the host runs', async () =>
      (await gateway.runners()).find(({ parent }) => parent === gateway.pid),
    );

  const lives = async (pid: number, gateway: Gateway, agent: number): Promise<boolean> =>
    (await processesOf(agent, gateway.data)).some((row) => row.pid === pid);

  /** A gateway that is active and polls the device. */
  const polling = async (
    endpoints = cluster.endpoints,
    name = 'west',
  ): Promise<{ gateway: Gateway; host: ProcessRow; driver: ProcessRow }> => {
    const gateway = await start(name, endpoints);
    await until(`${name} holds the lease`, async () => (await holder()) === name);
    const tags = [{ name: 'a', address: '1!400001', attribute: Attribute.READ, type: DataType.INT16 }];
    // It has users once it has begun the pair.
    const client = await until(`${name} answers who logs in`, () => gateway.client());
    await addModbus(client, 'plc', { port: device.port, tags, interval: 100 });
    const asked = device.asked.length;
    await until('the device is asked', () => device.asked.length > asked + 5);
    const host = await hostOf(gateway);
    deadlines.push(await deadlineOf(host));
    expect(existsSync(deadlines[0]!)).to.equal(true);
    return { gateway, host, driver: await gateway.runner('modbus') };
  };

  /** Milliseconds from now until the lease is free. */
  const untilFree = async (): Promise<number> => {
    const begun = performance.now();
    const options = { every: 5, within: 10_000 };
    await until('the lease is free', async () => (await holder()) === undefined, options);
    const took = performance.now() - begun;
    process.stdout.write(`      the lease was free after ${Math.round(took)} ms\n`);
    return took;
  };

  const expectQuiet = async (from: number): Promise<void> => {
    await sleep(700);
    expect(device.asked.filter((time) => time > from)).to.have.length(0);
  };

  /** Takes all of the cluster away, or brings it back. */
  const away = (isAway: boolean): void => {
    for (const index of [0, 1, 2]) cluster[isAway ? 'stop' : 'continue'](index);
  };

  /** Ways to etcd that can be taken away from one gateway alone. */
  const openProxies = async (): Promise<string[]> => {
    for (const url of cluster.endpoints) proxies.push(await TcpProxy.open(Number(new URL(url).port)));
    return proxies.map(({ port }) => `http://127.0.0.1:${port}`);
  };

  it('needs the key of secrets and a name of the pair, and no inline runners', async () => {
    const given = ['--pair', 'etcd://127.0.0.1:1', '--data', folder('refused')];
    expectRefusal(await runGateway(...given), /pair-id/);
    expectRefusal(await runGateway(...given, '--pair-id', 'plant'), /secrets-key/);
    expectRefusal(
      await runGateway(...given, '--pair-id', 'plant', '--secrets-key', key, '--inline'),
      /inline/,
    );
    expectRefusal(await runGateway('--pair-id', 'plant'), /needs "pair"/);
  });

  it('leaves nothing of its proxy in the kernel behind', async () => {
    const { gateway } = await polling();
    const table = `tagway_${createHash('sha256').update(gateway.data).digest('hex').slice(0, 12)}`;
    const isThere = (): boolean =>
      spawnSync('nft', ['list', 'table', 'inet', table], { stdio: 'ignore' }).status === 0;
    expect(isThere()).to.equal(!gateway.output.includes('without a proxy in the kernel'));
    await gateway.stop();
    expect(isThere()).to.equal(false);
  });

  it('gives the lease back half a second after its host has crashed, with no driver left, and starts the host again', async () => {
    const { gateway, host, driver } = await polling();
    process.kill(host.pid, 'SIGKILL');
    const took = await untilFree();
    const quiet = performance.now() + 20;
    expect(took).to.be.within(400, 1200);
    expect(await lives(driver.pid, gateway, gateway.pid)).to.equal(false);
    expect(JSON.parse((await cluster.value(`/tagway/${pair}/given-back`)) ?? '{}')).to.deep.equal({
      name: 'west',
      reason: 'The host of the gateway "west" was ended by SIGKILL.',
    });
    await expectQuiet(quiet);
    await until('it holds the lease again', async () => (await holder()) === 'west');
    const asked = device.asked.length;
    await until('the device is asked again', () => device.asked.length > asked);
  });

  it('ends a host that says nothing for 2 s', async () => {
    const { gateway, host, driver } = await polling();
    process.kill(host.pid, 'SIGSTOP');
    const took = await untilFree();
    const quiet = performance.now() + 20;
    expect(took).to.be.within(1500, 2900);
    for (const { pid } of [host, driver]) expect(await lives(pid, gateway, gateway.pid)).to.equal(false);
    await expectQuiet(quiet);
  });

  it('stops polling within 3.5 s when the majority of etcd is gone, says why, and serves what it has', async () => {
    const { gateway, driver } = await polling();
    away(true);
    const begun = performance.now();
    await until('the driver is gone', async () => !(await lives(driver.pid, gateway, gateway.pid)), {
      within: 10_000,
      every: 20,
    });
    const took = performance.now() - begun;
    expect(took).to.be.within(2400, 3700);
    const last = (device.asked.at(-1) ?? 0) - begun;
    expect(last).to.be.within(0, 3100);
    process.stdout.write(
      `      last request after ${Math.round(last)} ms, driver gone after ${Math.round(took)} ms\n`,
    );
    await until('it says why', () => gateway.output.includes('could not be renewed for 3.5 s'));
    await until('it serves its configuration', async () => {
      const client = await until('the gateway answers who logs in', () => gateway.client());
      const { nodes } = await client.ok<{ nodes: { name: string }[] }>('GET', '/node?type=1');
      return nodes.some(({ name }) => name === 'plc');
    });
    expect(device.asked.every((time) => time <= begun + 3100)).to.equal(true);
    away(false);
    await until('it polls again', () => (device.asked.at(-1) ?? 0) > begun + 4000);
  });

  it('leaves a lease that it could not renew to the other one, if that is there, for a while', async () => {
    const { gateway } = await polling(await openProxies());
    // Stands for a gateway that is there and takes nothing.
    await cluster.put(`/tagway/${pair}/member/east`, '{}');
    for (const proxy of proxies) proxy.swallow();
    await until('it has lost the lease', () => gateway.output.includes('could not be renewed for 3.5 s'));
    await untilFree();
    for (const proxy of proxies) proxy.release();
    const begun = performance.now();
    await until('it takes the lease', async () => (await holder()) === 'west', { within: 20_000 });
    expect(performance.now() - begun).to.be.within(9000, 14_000);
  });

  it('takes up again the lease that is still its own when the majority of etcd is back', async () => {
    const { gateway } = await polling();
    // Stands for a gateway that is there and takes nothing.
    await cluster.put(`/tagway/${pair}/member/east`, '{}');
    for (const index of [1, 2]) await cluster.kill(index);
    await until('it has lost the lease', () => gateway.output.includes('could not be renewed for 3.5 s'));
    const begun = performance.now();
    // Longer than the lease, and than the host needs to be ready again.
    await sleep(5000);
    for (const index of [1, 2]) cluster.begin(index);
    await until('it polls again', () => (device.asked.at(-1) ?? 0) > begun + 5000);
    expect(gateway.output).to.include('The lease is renewed again, and polling goes on.');
    expect(await holder()).to.equal('west');
    expect(await cluster.value(`/tagway/${pair}/given-back`)).to.equal(undefined);
  });

  for (const signal of ['SIGKILL', 'SIGSTOP'] as const)
    it(`leaves no driver behind and no lease when its agent gets ${signal}`, async () => {
      const { gateway, driver, host } = await polling();
      const agent = gateway.pid;
      process.kill(agent, signal);
      const took = await untilFree();
      const quiet = performance.now() + 20;
      expect(took).to.be.below(signal === 'SIGKILL' ? 1400 : 3000);
      await until('all of it is gone', async () => {
        const alive = await Promise.all([driver, host].map(({ pid }) => lives(pid, gateway, agent)));
        return alive.every((one) => !one);
      });
      await expectQuiet(quiet);
      gateways.splice(0);
      await gateway.crash();
      await rm(gateway.data, { recursive: true });
    });

  const canNotify = ['systemd-notify', 'python3'].every((name) => spawnSync(name, ['--help']).status === 0);
  const noNotify = canNotify ? '' : ' (skipped: systemd-notify or python3 is not installed)';
  it(`tells its supervisor of services of every host, and that it ends when it does${noNotify}`, async function () {
    if (!canNotify) return this.skip();
    const socket = await NotifySocket.listen(folder('notify'));
    const args = [
      ...['--data', folder('data'), '--port', String(await freePort()), '--name', 'west'],
      ...['--pair', cluster.endpoints.join(','), '--pair-id', pair, '--secrets-key', key],
    ];
    // As systemd has it, the watchdog is that of the process that it started.
    const script = 'WATCHDOG_PID=$$ exec "$0" "$@"';
    const child = await Child.start('/bin/sh', ['-c', script, process.execPath, Gateway.main, ...args], {
      ready: /Tagway listens on/,
      env: { NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: '600000' },
      group: true,
    });
    try {
      await until(
        'it is ready and beats',
        () => socket.count('READY=1') === 1 && socket.count('WATCHDOG=1') > 3,
      );
      await until('it holds the lease', async () => (await holder()) === 'west');
      await cluster.delete(`/tagway/${pair}/holder`);
      await until('the next host is ready', () => socket.count('READY=1') === 2);
      const beats = socket.count('WATCHDOG=1');
      await until('it beats', () => socket.count('WATCHDOG=1') > beats + 3);
      expect(socket.count('STOPPING=1'), 'the service goes on').to.equal(0);
      expect((await child.stop('SIGTERM', 10_000)).code).to.equal(0);
      await until('it has said that it ends', () => socket.count('STOPPING=1') === 1);
    } finally {
      await child.stop('SIGKILL');
      child.release();
      await socket.close();
    }
  });

  it('switches once, however often the link of one gateway comes and goes', async () => {
    await start('west', await openProxies());
    await until('west holds the lease', async () => (await holder()) === 'west');
    await start('east');
    const holders: string[] = [];
    const watch = setInterval(() => {
      holder().then(
        (name) => {
          if (name !== undefined && name !== holders.at(-1)) holders.push(name);
        },
        () => undefined,
      );
    }, 50);
    for (let round = 0; round < 3; round++) {
      for (const proxy of proxies) proxy.swallow();
      await sleep(6000);
      for (const proxy of proxies) proxy.release();
      await sleep(2000);
    }
    clearInterval(watch);
    expect(holders).to.deep.equal(['west', 'east']);
  });

  it('leaves the lease to the other one when it ends, and does not take it back', async () => {
    const { gateway } = await polling();
    const east = await start('east');
    await sleep(1000);
    expect(await holder()).to.equal('west');
    const begun = performance.now();
    const ending = gateway.stop();
    await until('the other one has the lease', async () => (await holder()) === 'east', { every: 5 });
    process.stdout.write(`      the other had the lease after ${Math.round(performance.now() - begun)} ms\n`);
    expect((await ending).code).to.equal(0);
    await gateway.start();
    await sleep(3000);
    expect(await holder()).to.equal('east');
    expect(east.output).not.to.include('Error');
    const change = JSON.parse((await cluster.value(`/tagway/${pair}/switch`)) ?? '{}') as object;
    expect(change).to.include({ from: 'west', to: 'east', reason: 'The gateway "west" was ended.' });
  });
});
