import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { fileURLToPath } from 'node:url';
import type { Duplex } from 'node:stream';
import { Attribute, DataType } from '@tagway/schemas';
import { layoutOf, maySend, type RunnerRequest, setSendGate, Wire } from '@tagway/sdk/internal';
import { expect } from 'chai';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
const skipped = hasOpenssl ? '' : ' (skipped: openssl, which makes the certificate, is not installed)';

const kinds = ['tcp', 'tls', 'udp'] as const;
type Kind = (typeof kinds)[number];

/** The other ends of all kinds of sockets, which note when they heard what. */
class Ears implements AsyncDisposable {
  /** When something came, in nanoseconds of the clock that processes share. */
  readonly heard: Record<Kind, bigint[]> = { tcp: [], tls: [], udp: [] };
  /** When a connection was reset. */
  readonly resets: Record<'tcp' | 'tls', bigint[]> = { tcp: [], tls: [] };
  readonly #sockets = new Set<Socket>();
  readonly #servers: Record<'tcp' | 'tls' | 'relay', Server>;
  readonly #udp: UdpSocket = createSocket('udp4');

  constructor(folder: string) {
    const cert = join(folder, 'cert.pem');
    const key = join(folder, 'key.pem');
    const pair = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key];
    execFileSync('openssl', ['req', '-x509', ...pair, '-out', cert, '-days', '2', '-subj', '/CN=device'], {
      stdio: 'ignore',
    });
    const hear = (kind: Kind) => (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', ({ code }: NodeJS.ErrnoException) => {
        if (kind === 'tcp' && code === 'ECONNRESET') this.resets.tcp.push(process.hrtime.bigint());
      });
      socket.on('data', () => this.#note(kind));
    };
    // A server of TLS does not say that the connection under it was reset.
    const relay = createServer((socket) => {
      this.#sockets.add(socket);
      const far = connect((this.#servers.tls.address() as AddressInfo).port, '127.0.0.1');
      this.#sockets.add(far);
      far.on('error', () => undefined);
      far.pipe(socket).pipe(far);
      socket.on('error', ({ code }: NodeJS.ErrnoException) => {
        if (code === 'ECONNRESET') this.resets.tls.push(process.hrtime.bigint());
      });
    });
    const tls = { cert: readFileSync(cert), key: readFileSync(key) };
    this.#servers = { tcp: createServer(hear('tcp')), tls: createTlsServer(tls, hear('tls')), relay };
    this.#udp.on('message', () => this.#note('udp'));
  }

  #note(kind: Kind): void {
    this.heard[kind].push(process.hrtime.bigint());
  }

  async listen(): Promise<Record<Kind, number>> {
    const { tcp, tls, relay } = this.#servers;
    for (const server of [tcp, tls, relay]) await once(server.listen(0, '127.0.0.1'), 'listening');
    this.#udp.bind(0, '127.0.0.1');
    await once(this.#udp, 'listening');
    return {
      tcp: (tcp.address() as AddressInfo).port,
      tls: (relay.address() as AddressInfo).port,
      udp: this.#udp.address().port,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#udp.close();
    await Promise.all(Object.values(this.#servers).map((server) => once(server.close(), 'close')));
  }
}

async function until(what: string, look: () => boolean, within = 5000): Promise<void> {
  const end = performance.now() + within;
  while (!look()) {
    if (performance.now() > end) throw new Error(`Waited in vain until ${what}.`);
    await sleep(10);
  }
}

/** A runner process with one node of the plugin that sends. */
class SendingRunner implements AsyncDisposable {
  readonly said: string[] = [];
  readonly process: ChildProcess;
  readonly #wire: Wire;
  readonly #ended: Promise<unknown>;
  #answered = 0;

  /** Without a file it is one of a gateway without a pair, or of apps. */
  constructor(deadlineFile?: string) {
    const entry = fileURLToPath(import.meta.resolve('@tagway/sdk/internal/process'));
    this.process = spawn(process.execPath, ['--conditions=source', entry, 'sender'], {
      env: { PATH: process.env['PATH'], TAGWAY_DEADLINE_FILE: deadlineFile },
      stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    });
    this.#ended = once(this.process, 'exit');
    const stream = this.process.stdio[3] as Duplex;
    stream.on('error', () => undefined);
    this.#wire = new Wire(stream, {
      message: (message) => this.#take(message as { op: string; message?: string }),
      protocolError: (reason) => this.said.push(reason),
    });
  }

  #take({ op, message }: { op: string; message?: string }): void {
    if (op === 'loaded') this.said.push('loaded');
    else if (op === 'log') this.said.push(message ?? '');
    else if (op === 'answer') this.#answered++;
  }

  async run(settings: object, dataDir: string): Promise<void> {
    this.#wire.send({
      op: 'load',
      main: fileURLToPath(import.meta.resolve('./plugins/sender.ts')),
    });
    await until('the plugin is loaded', () => this.said.includes('loaded'));
    const request: RunnerRequest = {
      op: 'start',
      node: 1,
      name: 'sender',
      settings: { ...settings },
      dataDir,
      level: 'notice',
    };
    this.#wire.send({ op: 'request', id: 1, request });
    await until('the node has started', () => this.#answered === 1);
    const point = { name: 'a', address: '1', attribute: Attribute.READ, type: DataType.INT16 };
    const tag = { ...point, precision: 0, decimal: 0, bias: 0, description: '' };
    this.#wire.send({
      op: 'group',
      node: 1,
      config: {
        group: 1,
        layout: layoutOf(1, { driver: 'sender', group: 'g', interval: 100 }, [tag]),
        tags: [tag],
      },
    });
  }

  count(line: string): number {
    return this.said.filter((one) => one === line).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.process.kill('SIGKILL');
    await this.#ended;
  }
}

describe('the send gate of a runner of drivers', function () {
  this.timeout(30_000);
  let folder: string;
  let file: string;

  before(function () {
    if (!hasOpenssl) this.skip();
  });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tagway-gate-'));
    file = join(folder, 'deadline');
  });

  afterEach(async () => {
    setSendGate(undefined);
    await rm(folder, { recursive: true, force: true });
  });

  const setDeadline = (time: bigint): void => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(time);
    const descriptor = openSync(file, 'w');
    writeSync(descriptor, bytes);
    closeSync(descriptor);
  };
  const inMs = (ms: number): bigint => process.hrtime.bigint() + BigInt(ms) * 1_000_000n;

  it(`lets nothing through from the deadline on, says why, begins no cycle, and lets everything through again${skipped}`, async () => {
    await using ears = new Ears(folder);
    const settings = await ears.listen();
    setDeadline(inMs(60_000));
    await using runner = new SendingRunner(file);
    await runner.run(settings, folder);
    await until('everything is heard and read', () =>
      kinds.every((kind) => ears.heard[kind].length > 20 && runner.count('read') > 2),
    );
    const deadline = inMs(300);
    setDeadline(deadline);
    await sleep(400);
    const reads = runner.count('read');
    const begun = ears.heard.tcp.length;
    await sleep(1000);
    for (const kind of kinds) {
      // For what was on its way, and for a busy machine.
      const late = ears.heard[kind].filter((time) => time > deadline + 250_000_000n);
      expect(late, kind).to.have.length(0);
      const said = runner.said.find((line) => line.startsWith(`${kind} failed`));
      expect(said, runner.said.join('\n')).to.include('This gateway has lost the lease of its pair');
    }
    expect(runner.count('read')).to.equal(reads);
    setDeadline(inMs(60_000));
    await until('everything is heard and read again', () =>
      kinds.every((kind) => ears.heard[kind].at(-1)! > deadline + 1_000_000_000n),
    );
    await until('it is read again', () => runner.count('read') > reads);
    expect(ears.heard.tcp.length).to.be.above(begun);
  });

  it(`lets nothing through after the event loop stood still, or the process was stopped, beyond the deadline${skipped}`, async () => {
    await using ears = new Ears(folder);
    const settings = await ears.listen();
    for (const isStopped of [false, true]) {
      setDeadline(inMs(60_000));
      await using runner = new SendingRunner(file);
      for (const kind of kinds) ears.heard[kind].length = 0;
      await runner.run(isStopped ? settings : { ...settings, stall: 1000 }, folder);
      await until('everything is heard', () => kinds.every((kind) => ears.heard[kind].length > 5));
      const deadline = inMs(400);
      setDeadline(deadline);
      if (isStopped) {
        process.kill(runner.process.pid!, 'SIGSTOP');
        await sleep(700);
        process.kill(runner.process.pid!, 'SIGCONT');
      }
      await sleep(1500);
      for (const kind of kinds) {
        const late = ears.heard[kind].filter((time) => time > deadline + 250_000_000n);
        // A process that is stopped between its question and the send sends that one message when it goes on: see docs/redundancy.md.
        expect(late, kind).to.have.length.of.at.most(isStopped ? 1 : 0);
      }
    }
  });

  it(`resets what is connected at the deadline, or when the gate is shut before it, though nothing is sent${skipped}`, async () => {
    for (const isBefore of [false, true]) {
      await using ears = new Ears(folder);
      const settings = { ...(await ears.listen()), times: 10 };
      setDeadline(inMs(60_000));
      await using runner = new SendingRunner(file);
      await runner.run(settings, folder);
      await until('everything is heard', () => kinds.every((kind) => ears.heard[kind].length > 0));
      const deadline = inMs(isBefore ? 0 : 500);
      setDeadline(isBefore ? 0n : deadline);
      await until('both connections are reset', () => ears.resets.tcp.length + ears.resets.tls.length === 2);
      for (const [time] of Object.values(ears.resets)) expect(time! >= deadline).to.equal(true);
      await until('the driver knows', () =>
        kinds.every((kind) => runner.said.some((line) => line.startsWith(`${kind} failed`))),
      );
    }
  });

  it('is shut from the start while the file says so, and is not there for apps', async () => {
    await using ears = new Ears(folder);
    const settings = await ears.listen();
    setDeadline(0n);
    await using gated = new SendingRunner(file);
    await gated.run(settings, folder);
    await until('it was refused', () => gated.said.some((line) => line.startsWith('tcp failed')));
    expect(kinds.map((kind) => ears.heard[kind].length)).to.deep.equal([0, 0, 0]);
    await using free = new SendingRunner();
    await free.run(settings, folder);
    await until('everything is heard', () => kinds.every((kind) => ears.heard[kind].length > 0));
  });

  it('is asked in far less time than a send takes', () => {
    setDeadline(inMs(60_000));
    const script = `
      import { shutAtDeadline } from ${JSON.stringify(import.meta.resolve('../../../sdk/src/internal/channel/deadline-gate.ts'))};
      import { maySend } from ${JSON.stringify(import.meta.resolve('../../../sdk/src/send-gate.ts'))};
      shutAtDeadline(${JSON.stringify(file)});
      const rounds = 200_000;
      for (let round = 0; round < rounds; round++) maySend();
      const begun = process.hrtime.bigint();
      let refused = 0;
      for (let round = 0; round < rounds; round++) if (!maySend()) refused++;
      process.stdout.write(refused + ' ' + Number(process.hrtime.bigint() - begun) / rounds);`;
    const out = execFileSync(process.execPath, ['--conditions=source', '--input-type=module', '-e', script]);
    const [refused, nanoseconds] = out.toString().split(' ').map(Number);
    expect(refused).to.equal(0);
    expect(nanoseconds).to.be.within(1, 50_000);
    expect(maySend()).to.equal(true);
    process.stdout.write(`      ${Math.round(nanoseconds!)} ns a send\n`);
  });
});
