import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { Aedes } from 'aedes';
import mqtt from 'mqtt';
import type { MqttClient } from 'mqtt';
import { freePort, listenOn, type ListeningServer, until } from '@tagway/testkit';

export interface Broker extends AsyncDisposable {
  readonly port: number;
}

export interface AedesBroker extends Broker {
  readonly aedes: Aedes;
  /** Throws all clients off. */
  drop(): void;
}

/** An aedes broker on a free port, or on the given one. */
export async function aedesBroker(
  options: { port?: number; tls?: tls.TlsOptions } = {},
): Promise<AedesBroker> {
  const aedes = await Aedes.createBroker();
  const server = options.tls ? tls.createServer(options.tls, aedes.handle) : net.createServer(aedes.handle);
  const { port, sockets, ...end } = await listenOn(server, options.port);
  return {
    port,
    aedes,
    drop: () => sockets.forEach((socket) => socket.destroy()),
    async [Symbol.asyncDispose]() {
      await end[Symbol.asyncDispose]();
      await new Promise<void>((resolve) => {
        aedes.close(resolve);
      });
    },
  };
}

/** How a gate treats each connection. */
export interface GateBehaviour {
  /** Bytes towards the broker after which the connection breaks. */
  readonly cutAfter?: number;
  /** Milliseconds that everything takes on its way, in both directions. */
  readonly delay?: number;
  /** Closes the connection before anything passes. */
  readonly refuse?: boolean;
}

/** A way to a broker that can be shut: connections break, and new ones are refused. */
export class Gate implements AsyncDisposable {
  readonly port: number;
  readonly #broker: number;
  #way: ListeningServer | undefined;
  /** The bytes that came last on the way to the broker. */
  last: Buffer = Buffer.alloc(0);
  /** For connections that are made from now on. */
  behaviour: GateBehaviour = {};

  private constructor(port: number, broker: number) {
    this.port = port;
    this.#broker = broker;
  }

  /** A gate that is shut. */
  static async before(broker: { readonly port: number }): Promise<Gate> {
    return new Gate(await freePort(), broker.port);
  }

  async open(): Promise<void> {
    this.#way ??= await listenOn(
      net.createServer((near) => this.#join(near, this.behaviour)),
      this.port,
    );
  }

  /** Breaks all connections; new ones may be made. */
  drop(): void {
    for (const socket of this.#way?.sockets ?? []) socket.destroy();
  }

  async shut(): Promise<void> {
    await this.#way?.[Symbol.asyncDispose]();
    this.#way = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shut();
  }

  #join(near: net.Socket, { cutAfter = Infinity, delay = 0, refuse = false }: GateBehaviour): void {
    const far = net.connect(this.#broker, '127.0.0.1');
    let passed = 0;
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      socket.on('error', () => undefined);
      socket.on('close', () => other.destroy());
      socket.on('data', (bytes: Buffer) => {
        let chunk = bytes;
        if (socket === near) {
          this.last = bytes;
          chunk = bytes.subarray(0, cutAfter - passed);
          passed += chunk.length;
        }
        const cut = chunk.length < bytes.length;
        const pass = (): void => {
          if (other.destroyed) return;
          if (cut) other.end(chunk, () => near.destroy());
          else other.write(chunk);
        };
        if (delay > 0) setTimeout(pass, delay);
        else pass();
      });
      socket.on('end', () => other.end());
    }
    if (refuse) near.destroy();
  }
}

export const hasMosquitto = spawnSync('mosquitto', ['-h']).error === undefined;

export interface Mosquitto extends Broker {
  /** Sends a signal, such as SIGSTOP. */
  kill(signal: NodeJS.Signals): void;
}

/** A mosquitto broker with these lines in its configuration beside the listener. */
export async function mosquittoBroker(
  lines: readonly string[] = ['allow_anonymous true'],
  given?: number,
): Promise<Mosquitto> {
  const port = given ?? (await freePort());
  const folder = await mkdtemp(join(tmpdir(), 'tagway-mosquitto-'));
  const file = join(folder, 'mosquitto.conf');
  await writeFile(
    file,
    [`listener ${port} 127.0.0.1`, 'persistence false', `user root`, ...lines, ''].join('\n'),
  );
  const child = spawn('mosquitto', ['-c', file], { stdio: 'ignore' });
  let up = false;
  while (!up && child.exitCode === null) {
    const probe = net.connect(port, '127.0.0.1');
    up = await Promise.race([
      once(probe, 'connect').then(() => true),
      once(probe, 'error').then(() => false),
    ]).catch(() => false);
    probe.destroy();
    if (!up) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  if (!up) throw new Error(`mosquitto exited with ${child.exitCode}.`);
  return {
    port,
    kill: (signal) => void child.kill(signal),
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, 'exit');
        child.kill('SIGCONT');
        child.kill('SIGKILL');
        await exited;
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export interface Received {
  readonly topic: string;
  readonly text: string;
  readonly qos: number;
  readonly retain: boolean;
  /** User properties of MQTT 5. */
  readonly marks: Readonly<Record<string, unknown>>;
}

/** A client of a broker that notes what it receives. */
export class Peer implements AsyncDisposable {
  readonly received: Received[] = [];
  readonly client: MqttClient;

  private constructor(client: MqttClient) {
    this.client = client;
    client.on('message', (topic, payload, { qos, retain, properties }) => {
      const marks = { ...properties?.userProperties };
      this.received.push({ topic, text: payload.toString(), qos, retain, marks });
    });
  }

  static connect(port: number, ...topics: string[]): Promise<Peer> {
    return Peer.at(port, 4, topics);
  }

  /** With a version of the protocol, by its level. */
  static async at(port: number, level: 4 | 5, topics: readonly string[]): Promise<Peer> {
    const options = { host: '127.0.0.1', port, protocolVersion: level, reconnectPeriod: 50 };
    const peer = new Peer(await mqtt.connectAsync(options));
    if (topics.length > 0) await peer.client.subscribeAsync([...topics], { qos: 2 });
    return peer;
  }

  /** Payloads of a topic. */
  texts(topic: string): string[] {
    return this.received.filter((each) => each.topic === topic).map(({ text }) => text);
  }

  /** The first payload of a topic, once there is one. */
  async first(topic: string): Promise<string> {
    await until(`something arrives on ${topic}`, () => this.texts(topic).length > 0);
    return this.texts(topic)[0] as string;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.endAsync(true);
  }
}

/** The brokers that sessions are tested on, and whether they are here. */
export const brokers = [
  ['aedes', true, () => aedesBroker()],
  [
    hasMosquitto ? 'mosquitto' : 'mosquitto (skipped: it is not installed)',
    hasMosquitto,
    () => mosquittoBroker(),
  ],
] as const;
