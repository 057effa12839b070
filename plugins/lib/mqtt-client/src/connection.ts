import net from 'node:net';
import { Readable } from 'node:stream';
import client from 'mqtt/lib/client';
import type { IClientOptions } from 'mqtt/lib/client';
import type { IStore } from 'mqtt/lib/store';
import type { LinkStep } from '@tagway/sdk';
import { failureOf } from '@tagway/sdk/link';
import { tlsProblem } from '@tagway/store/tls';
import type { Broker, OnSettled, Will } from './broker.ts';
import { PingConfirmation } from './ping-confirmation.ts';

const MqttClient = client.default;
type Client = InstanceType<typeof MqttClient>;

/** Keep-alive in seconds: a broker that is silent for one and a half times as long is gone. */
const keepalive = 60;

/** Milliseconds until there is a connection, and again until the CONNACK of the broker. */
const connectTimeout = 10_000;

/** Milliseconds from the DISCONNECT to the end of the socket. */
const disconnectTimeout = 500;

/** Reason codes of MQTT 5 in a DISCONNECT. */
const disconnectWithWill = 0x04;
const sessionTakenOver = 0x8e;

/** A message of more bytes is written at once. Messages of one turn of the event loop are written together at its end, which keeps them in memory. */
const largestBatched = 16_384;

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Flags of a message. */
export interface PublishFlags {
  /** The broker keeps it for later subscribers. Left out for a broker without retained messages, which would end the connection. */
  readonly retain?: boolean | undefined;
  /** Its values are of an earlier time: the user property `historical` of MQTT 5. */
  readonly historical?: boolean | undefined;
}

const historicalMark = { userProperties: { historical: 'true' } };

export type OnMessage = (topic: string, payload: Buffer, retained: boolean) => void;

/**
 * Reason codes of MQTT 5 after which the broker may take the same message later: unspecified, specific to the implementation,
 * packet identifier in use, quota exceeded.
 */
const temporaryCodes: ReadonlySet<number> = new Set([0x80, 0x83, 0x91, 0x97]);

const login = ' Check the settings "username" and "password".';
const clientId = ' Check the setting "client-id".';

/** The setting that is wrong, by the code with which a broker of MQTT 3.1.1 or 5 refuses a connection. */
const refusals: ReadonlyMap<number, string> = new Map([
  [2, clientId],
  [4, login],
  [5, login],
  [0x85, clientId],
  [0x86, login],
  [0x87, login],
  [0x8c, login],
]);

/** What may be wrong when a broker closes a connection without any answer. */
function hintOf({ tls }: Broker): string {
  return tls === undefined
    ? ' It said nothing before: if the port is one for TLS, set "ssl" to true.'
    : ' No TLS was agreed on before: if the port is not one for TLS, set "ssl" to false.';
}

/**
 * A packet store that keeps no packets. The cache of the node keeps the messages that the broker has not confirmed. Packets in a store would
 * be sent a second time after a reconnect, and their number has no limit.
 */
function emptyStore(): IStore {
  const accept = (_packet: unknown, done: () => void): IStore => {
    done();
    return store;
  };
  const store: IStore = {
    put: accept,
    del: accept,
    get: (_packet, done) => {
      done(new Error('The store keeps no packets.'));
      return store;
    },
    createStream: () => Readable.from([]) as unknown as ReturnType<IStore['createStream']>,
    close: (done) => done(),
  };
  return store;
}

/** What an error of the socket means, as a sentence; undefined for others. */
function unreachableProblem({ host, port }: Broker, error: Error): string | undefined {
  const { kind, reason } = failureOf(`${host}:${port}`, error);
  return kind === 'error' ? undefined : `${reason}.`;
}

/** Why a connection has ended. */
export interface ConnectionEnd {
  /** A sentence. */
  readonly reason: string;
  /** The broker ended it, and the reason is, or may be, another client with the same id. */
  readonly mayBeTakenOver: boolean;
}

/** Why an attempt to connect failed, and at which step. */
export class ConnectError extends Error {
  readonly step: LinkStep;

  constructor(reason: string, step: LinkStep, cause: unknown) {
    super(reason, { cause });
    this.step = step;
  }
}

/** Makes sockets to a broker. TLS is loaded only when it is needed, because it takes six megabytes. */
async function dialer({ host, port, tls: secure }: Broker): Promise<() => net.Socket> {
  const address = { host, port, noDelay: true, keepAlive: true };
  if (secure === undefined) return () => net.connect(address);
  const servername = net.isIP(host) === 0 ? { servername: host } : {};
  const tls = await import('node:tls');
  return () => tls.connect({ ...address, ...servername, ...secure });
}

/** One connection to the broker, from the CONNACK to its end. */
export class Connection {
  /** Resolves when the connection has ended. */
  readonly closed: Promise<ConnectionEnd>;
  /** Messages that may be in flight: the receive maximum of the broker. */
  readonly window: number;
  /** Largest message in bytes that the broker takes. */
  readonly largest: number;
  readonly #client: Client;
  readonly #socket: net.Socket;
  readonly #qos: 0 | 1 | 2;
  readonly #version: 4 | 5;
  readonly #pings: PingConfirmation | undefined;
  readonly #keepsRetained: boolean;
  /** Messages of this turn of the event loop: those of QoS 0, which are settled when the system has their bytes, and what ends the batch. */
  #batch: { readonly settled: OnSettled[]; readonly end: NodeJS.Immediate } | undefined;

  private constructor(mqtt: Client, socket: net.Socket, broker: Broker, closed: Promise<ConnectionEnd>) {
    const properties = mqtt.serverProperties;
    this.#client = mqtt;
    this.#socket = socket;
    this.#qos = Math.min(broker.qos, properties?.maximumQoS ?? 2) as 0 | 1 | 2;
    this.#version = broker.version;
    this.#keepsRetained = properties?.retainAvailable !== false;
    if (broker.confirmsByPing === true) this.#pings = new PingConfirmation(mqtt);
    this.closed = closed;
    this.window = properties?.receiveMaximum ?? 65_535;
    this.largest = properties?.maximumPacketSize ?? 268_435_455;
  }

  /** Connects; `signal` ends the attempt. Calls `onStep` as each step begins. Rejects with a ConnectError. */
  static async open(
    broker: Broker,
    onMessage: OnMessage,
    signal: AbortSignal,
    onStep: (step: LinkStep) => void = () => undefined,
  ): Promise<Connection> {
    const { promise, resolve, reject } = Promise.withResolvers<Connection>();
    const ended = Promise.withResolvers<ConnectionEnd>();
    const dial = await dialer(broker);
    const sentenceOf = (error: Error & { readonly code?: unknown }): string =>
      (broker.tls && tlsProblem(error)) ??
      unreachableProblem(broker, error) ??
      `${error.message || String(error.code)}.${refusals.get(Number(error.code)) ?? ''}`;
    let step: LinkStep = net.isIP(broker.host) === 0 ? 'resolve' : 'connect';
    onStep(step);
    const to = (next: LinkStep): void => onStep((step = next));
    let socket: net.Socket;
    try {
      socket = dial();
    } catch (error) {
      throw new ConnectError(sentenceOf(error as Error), broker.tls ? 'handshake' : step, error);
    }
    socket.once('lookup', (error: Error | null) => {
      if (error === null && step === 'resolve') to('connect');
    });
    socket.once('connect', () => to(broker.tls ? 'handshake' : 'first answer'));
    socket.once('secureConnect', () => to('first answer'));
    const closedByBroker = 'The broker closed the connection.';
    let reason = closedByBroker;
    let isTakenOver = false;
    /** The broker has answered with a refusal. */
    let refused = false;
    // After a protocol error the rest of the stream has no meaning, so every error ends the connection.
    const onError = (error: Error & { readonly code?: unknown }): void => {
      reason = sentenceOf(error);
      refused ||= typeof error.code === 'number' || (broker.tls && tlsProblem(error)) !== undefined;
      socket.destroy();
    };
    socket.on('error', onError);
    const abort = (): void => {
      reason = 'The node stopped.';
      socket.destroy();
    };
    signal.addEventListener('abort', abort);
    const dialled = Promise.withResolvers<void>();
    socket.once(broker.tls ? 'secureConnect' : 'connect', () => dialled.resolve());
    const late = setTimeout(
      () => onError(new Error(`It does not answer within ${connectTimeout / 1000} s`)),
      connectTimeout,
    );
    socket.once('close', () => {
      clearTimeout(late);
      signal.removeEventListener('abort', abort);
      // A broker of MQTT 3.1.1 cannot say why it closes, and mosquitto 2.0.11 does not say it with MQTT 5 either.
      ended.resolve({ reason, mayBeTakenOver: isTakenOver || reason === closedByBroker });
      const isSilent = !signal.aborted && !refused && step === (broker.tls ? 'handshake' : 'first answer');
      reject(new ConnectError(isSilent ? reason + hintOf(broker) : reason, step, undefined));
    });
    if (signal.aborted) abort();
    await Promise.race([dialled.promise, promise]);
    clearTimeout(late);
    const options: IClientOptions = {
      clientId: broker.clientId,
      protocolVersion: broker.version,
      clean: true,
      keepalive,
      connectTimeout,
      reconnectPeriod: 0,
      resubscribe: false,
      queueQoSZero: false,
      outgoingStore: emptyStore(),
      timerVariant: 'native',
      // Otherwise the encoder of packets allocates a buffer for each of the 65536 message numbers.
      writeCache: false,
      log: () => undefined,
    };
    if (broker.username !== undefined) options.username = broker.username;
    if (broker.username !== undefined && broker.password !== undefined) options.password = broker.password;
    let will: Will | undefined;
    try {
      will = typeof broker.will === 'function' ? await broker.will() : broker.will;
    } catch (error) {
      socket.destroy();
      throw error;
    }
    if (will !== undefined) {
      const { topic, payload, qos } = will;
      options.will = { topic, payload: asBuffer(payload), qos, retain: false };
    }
    // It closed meanwhile.
    if (socket.destroyed) return promise;
    const mqtt = new MqttClient(() => socket, options);
    mqtt.on('error', onError);
    mqtt.on('disconnect', ({ reasonCode }) => {
      isTakenOver = reasonCode === sessionTakenOver;
      reason = isTakenOver
        ? `Another client connected as "${broker.clientId}", and the broker ended this session for it.`
        : `The broker ended the session with the reason code ${reasonCode ?? 0}.`;
    });
    mqtt.on('message', (topic, payload, { retain }) => onMessage(topic, payload, retain));
    mqtt.once('connect', () => {
      signal.removeEventListener('abort', abort);
      resolve(new Connection(mqtt, socket, broker, ended.promise));
    });
    return promise;
  }

  /** Bytes that the system has not taken from the socket yet. */
  get unsent(): number {
    return this.#socket.writableLength;
  }

  /**
   * Sends a message. It is settled when the broker confirms it. At QoS 0 it is settled when the system has taken its bytes or, with
   * `confirmsByPing`, when the broker has answered a later ping.
   */
  publish(
    topic: string,
    payload: Buffer,
    settled?: OnSettled,
    qos: 0 | 1 | 2 = this.#qos,
    { retain: wantsRetain = false, historical = false }: PublishFlags = {},
  ): void {
    const retain = wantsRetain && this.#keepsRetained;
    const properties = historical && this.#version === 5 ? { properties: historicalMark } : {};
    const batched = this.#openBatch();
    if (qos === 0) {
      this.#client.publish(topic, payload, { qos, retain, ...properties });
      if (settled !== undefined && this.#pings !== undefined) this.#pings.add(settled);
      else if (settled !== undefined) batched.push(settled);
    } else
      this.#client.publish(topic, payload, { qos, retain, ...properties }, (error) => {
        if (!error) settled?.(undefined);
        else if ('code' in error && error.code >= 0x80)
          settled?.({ reason: error.message, temporary: temporaryCodes.has(error.code) });
      });
    if (payload.length > largestBatched) this.#writeBatch();
  }

  /** Messages of one turn of the event loop are written together. */
  #openBatch(): OnSettled[] {
    if (this.#batch === undefined) {
      this.#socket.cork();
      this.#batch = { settled: [], end: setImmediate(() => this.#writeBatch()) };
    }
    return this.#batch.settled;
  }

  #writeBatch(): void {
    if (this.#batch === undefined) return;
    const { settled, end } = this.#batch;
    clearImmediate(end);
    this.#batch = undefined;
    if (settled.length > 0)
      this.#socket.write('', (error) => {
        if (!error) for (const settle of settled) settle(undefined);
      });
    this.#socket.uncork();
  }

  /** Rejects with an error whose message is a sentence when the broker refuses or the connection ends. */
  async subscribe(topics: readonly string[], qos: 0 | 1 | 2 = this.#qos): Promise<void> {
    await this.#client.subscribeAsync([...topics], { qos });
  }

  /** Ends the connection because of a failure. */
  fail(reason: string): void {
    this.#socket.destroy(new Error(reason));
  }

  /** Sends a DISCONNECT and waits until the socket is closed. With `withWill` a broker of MQTT 5 publishes the will too. */
  async close(withWill = false): Promise<void> {
    const late = setTimeout(() => this.#socket.destroy(), disconnectTimeout);
    this.#client.end(false, withWill && this.#version === 5 ? { reasonCode: disconnectWithWill } : {});
    await this.closed;
    clearTimeout(late);
  }
}
