import net from 'node:net';
import { Readable } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import client from 'mqtt/lib/client';
import type { IClientOptions } from 'mqtt/lib/client';
import type { IStore } from 'mqtt/lib/store';
import type { LinkStep } from '@tagway/sdk';
import { Proof } from './proof.ts';
import { tlsProblem } from './tls.ts';

const MqttClient = client.default;
type Client = InstanceType<typeof MqttClient>;

/** Seconds between signs of life; a broker that is silent for one and a half times as long is gone. */
const keepalive = 60;

/** Milliseconds for the whole way to the broker's consent. */
const connectTimeout = 10_000;

/** Milliseconds that a polite farewell may take. */
const farewellTimeout = 500;

/** Reason codes of MQTT 5 in a DISCONNECT. */
const disconnectWithWill = 0x04;
const sessionTakenOver = 0x8e;

/** A message of more bytes leaves at once: what is kept until the end of the turn may outlive a collection of young objects. */
const mostKept = 16_384;

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** What the broker publishes, never retained, when the connection ends without a farewell. */
export interface Will {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly qos: 0 | 1 | 2;
}

export interface Broker {
  readonly host: string;
  readonly port: number;
  readonly clientId: string;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly version: 4 | 5;
  /** Of what is published. */
  readonly qos: 0 | 1 | 2;
  readonly tls: ConnectionOptions | undefined;
  readonly will: Will | undefined;
  /** True: a message of QoS 0 is settled when the broker has answered a ping that was sent after it. */
  readonly proof?: boolean;
}

/** How a message is marked. */
export interface PublishMarks {
  /** The broker is to keep it for those who subscribe later; one that says it keeps none is not asked, because it would end the connection. */
  readonly retained?: boolean | undefined;
  /** It tells of what was, beside messages that tell of what is: the user property `historical` of MQTT 5. */
  readonly historical?: boolean | undefined;
}

const historicalMark = { userProperties: { historical: 'true' } };

export type OnMessage = (topic: string, payload: Buffer, retained: boolean) => void;

/** Why the broker refused a message, and whether it may take it later. */
export interface Refusal {
  readonly reason: string;
  readonly passing: boolean;
}

/** What became of a message that was handed to a connection. Nothing is said of those that were under way when it ended. */
export type OnSettled = (refused: Refusal | undefined) => void;

/**
 * Reason codes of MQTT 5 that say nothing against the message itself: unspecified, specific to the implementation, packet
 * identifier in use, quota exceeded.
 */
const passingCodes: ReadonlySet<number> = new Set([0x80, 0x83, 0x91, 0x97]);

const login = ' Check the settings "username" and "password".';
const clientId = ' Check the setting "client-id".';

/** Which setting a broker that refuses a connection means, by the codes of MQTT 3.1.1 and 5. */
const refusals: ReadonlyMap<number, string> = new Map([
  [2, clientId],
  [4, login],
  [5, login],
  [0x85, clientId],
  [0x86, login],
  [0x87, login],
  [0x8c, login],
]);

/** What may be wrong where a broker ends a connection before it has said anything. */
function hintOf({ tls }: Broker): string {
  return tls === undefined
    ? ' It said nothing before: if the port is one for TLS, set "ssl" to true.'
    : ' No TLS was agreed on before: if the port is not one for TLS, set "ssl" to false.';
}

/**
 * A packet store that keeps no packets. Messages that the broker has not confirmed are kept in the cache of the node; a copy in this store would be
 * sent a second time after a reconnect, and its size has no limit.
 */
function forgetfulStore(): IStore {
  const store: IStore = {
    put: (_packet, done) => {
      done();
      return store;
    },
    del: (_packet, done) => {
      done();
      return store;
    },
    get: (_packet, done) => {
      done(new Error('not kept'));
      return store;
    },
    createStream: () => Readable.from([]) as unknown as ReturnType<IStore['createStream']>,
    close: (done) => {
      done();
    },
  };
  return store;
}

/** Why a connection has ended. */
export interface ConnectionEnd {
  /** A sentence. */
  readonly reason: string;
  /** The broker ended it, because of another client of the same name or, if it cannot say why, perhaps because of one. */
  readonly mayBeTakenOver: boolean;
}

/** Why a connection did not come about, and how far it came. */
export class ConnectError extends Error {
  readonly step: LinkStep;

  constructor(reason: string, step: LinkStep, cause: unknown) {
    super(reason, { cause });
    this.step = step;
  }
}

/** Where sockets come from. TLS costs six megabytes that most nodes do not need. */
async function dialer({ host, port, tls: secure }: Broker): Promise<() => net.Socket> {
  const address = { host, port, noDelay: true, keepAlive: true };
  if (secure === undefined) return () => net.connect(address);
  const servername = net.isIP(host) === 0 ? { servername: host } : {};
  const tls = await import('node:tls');
  return () => tls.connect({ ...address, ...servername, ...secure });
}

/** One connection to the broker, from its consent to its end. It is never used again. */
export class Connection {
  /** Resolves when the connection has ended. */
  readonly closed: Promise<ConnectionEnd>;
  /** Messages that the broker takes before it confirms one. */
  readonly window: number;
  /** Largest message in bytes that the broker takes. */
  readonly largest: number;
  readonly #client: Client;
  readonly #socket: net.Socket;
  readonly #qos: 0 | 1 | 2;
  readonly #version: 4 | 5;
  readonly #proof: Proof | undefined;
  readonly #keepsRetained: boolean;
  /** Messages of QoS 0 that are settled when the bytes of this turn are on their way, and what ends the turn; undefined when nothing was sent in it. */
  #turn: { readonly settled: OnSettled[]; readonly end: NodeJS.Immediate } | undefined;

  private constructor(mqtt: Client, socket: net.Socket, broker: Broker, closed: Promise<ConnectionEnd>) {
    const properties = mqtt.serverProperties;
    this.#client = mqtt;
    this.#socket = socket;
    this.#qos = Math.min(broker.qos, properties?.maximumQoS ?? 2) as 0 | 1 | 2;
    this.#version = broker.version;
    this.#keepsRetained = properties?.retainAvailable !== false;
    if (broker.proof === true) this.#proof = new Proof(mqtt);
    this.closed = closed;
    this.window = properties?.receiveMaximum ?? 65_535;
    this.largest = properties?.maximumPacketSize ?? 268_435_455;
  }

  /** Connects; `signal` ends the attempt. Rejects with a ConnectError. */
  static async open(broker: Broker, onMessage: OnMessage, signal: AbortSignal): Promise<Connection> {
    const { promise, resolve, reject } = Promise.withResolvers<Connection>();
    const ended = Promise.withResolvers<ConnectionEnd>();
    const dial = await dialer(broker);
    const told = (error: Error & { readonly code?: unknown }): string =>
      (broker.tls && tlsProblem(error)) ??
      `${error.message || String(error.code)}.${refusals.get(Number(error.code)) ?? ''}`;
    let step: LinkStep = net.isIP(broker.host) === 0 ? 'resolve' : 'connect';
    let socket: net.Socket;
    try {
      socket = dial();
    } catch (error) {
      throw new ConnectError(told(error as Error), broker.tls ? 'handshake' : step, error);
    }
    socket.once('lookup', (error: Error | null) => {
      if (error === null) step = 'connect';
    });
    socket.once('connect', () => (step = broker.tls ? 'handshake' : 'first answer'));
    socket.once('secureConnect', () => (step = 'first answer'));
    const closedByBroker = 'The broker closed the connection.';
    let reason = closedByBroker;
    let isTakenOver = false;
    /** The broker has answered, with a refusal. */
    let refused = false;
    // After an error of the protocol the rest of the stream means nothing, so every error ends the connection.
    const onError = (error: Error & { readonly code?: unknown }): void => {
      reason = told(error);
      refused ||= typeof error.code === 'number' || (broker.tls && tlsProblem(error)) !== undefined;
      socket.destroy();
    };
    socket.on('error', onError);
    const options: IClientOptions = {
      clientId: broker.clientId,
      protocolVersion: broker.version,
      clean: true,
      keepalive,
      connectTimeout,
      reconnectPeriod: 0,
      resubscribe: false,
      queueQoSZero: false,
      outgoingStore: forgetfulStore(),
      timerVariant: 'native',
      // Otherwise the encoder of packets allocates a buffer for each of the 65536 message numbers.
      writeCache: false,
      log: () => undefined,
    };
    if (broker.username !== undefined) options.username = broker.username;
    if (broker.username !== undefined && broker.password !== undefined) options.password = broker.password;
    if (broker.will !== undefined) {
      const { topic, payload, qos } = broker.will;
      options.will = { topic, payload: asBuffer(payload), qos, retain: false };
    }
    const mqtt = new MqttClient(() => socket, options);
    const abort = (): void => {
      reason = 'The node stopped.';
      socket.destroy();
    };
    signal.addEventListener('abort', abort);
    mqtt.on('error', onError);
    mqtt.on('disconnect', ({ reasonCode }) => {
      isTakenOver = reasonCode === sessionTakenOver;
      reason = isTakenOver
        ? `Another client connected as "${broker.clientId}", and the broker ended this session for it.`
        : `The broker ended the session with the reason code ${reasonCode ?? 0}.`;
    });
    mqtt.on('message', (topic, payload, packet) => {
      onMessage(topic, payload, packet.retain);
    });
    mqtt.once('connect', () => {
      signal.removeEventListener('abort', abort);
      resolve(new Connection(mqtt, socket, broker, ended.promise));
    });
    socket.once('close', () => {
      signal.removeEventListener('abort', abort);
      // MQTT 3.1.1 has no way to say why, and mosquitto 2.0.11 does not do so with MQTT 5 either.
      ended.resolve({ reason, mayBeTakenOver: isTakenOver || reason === closedByBroker });
      const isMute = !signal.aborted && !refused && step === (broker.tls ? 'handshake' : 'first answer');
      reject(new ConnectError(isMute ? reason + hintOf(broker) : reason, step, undefined));
    });
    if (signal.aborted) abort();
    return promise;
  }

  /** Bytes that the socket has not passed on yet. */
  get unsent(): number {
    return this.#socket.writableLength;
  }

  /**
   * Sends a message. It is settled when the broker confirms it, or at QoS 0 when the system has taken its bytes or, with `proof`, the
   * broker must have read them.
   */
  publish(
    topic: string,
    payload: Buffer,
    settled?: OnSettled,
    qos: 0 | 1 | 2 = this.#qos,
    { retained = false, historical = false }: PublishMarks = {},
  ): void {
    const retain = retained && this.#keepsRetained;
    const properties = historical && this.#version === 5 ? { properties: historicalMark } : {};
    const turn = this.#gather();
    const isLarge = payload.length > mostKept;
    if (qos === 0) {
      this.#client.publish(topic, payload, { qos, retain, ...properties });
      if (settled !== undefined && this.#proof !== undefined) this.#proof.await(settled);
      else if (settled !== undefined) turn.push(settled);
      if (isLarge) this.#release();
      return;
    }
    this.#client.publish(topic, payload, { qos, retain, ...properties }, (error) => {
      if (!error) settled?.(undefined);
      else if ('code' in error && error.code >= 0x80)
        settled?.({ reason: error.message, passing: passingCodes.has(error.code) });
    });
    if (isLarge) this.#release();
  }

  /** What is published in one turn leaves in one piece. */
  #gather(): OnSettled[] {
    if (this.#turn === undefined) {
      this.#socket.cork();
      this.#turn = { settled: [], end: setImmediate(() => this.#release()) };
    }
    return this.#turn.settled;
  }

  #release(): void {
    if (this.#turn === undefined) return;
    const { settled, end } = this.#turn;
    clearImmediate(end);
    this.#turn = undefined;
    if (settled.length > 0)
      this.#socket.write('', (error) => {
        if (!error) for (const settle of settled) settle(undefined);
      });
    this.#socket.uncork();
  }

  /** Rejects with a sentence as the message when the broker refuses or the connection ends. */
  async subscribe(topics: readonly string[], qos: 0 | 1 | 2 = this.#qos): Promise<void> {
    await this.#client.subscribeAsync([...topics], { qos });
  }

  /** Ends the connection because of a failure. */
  fail(reason: string): void {
    this.#socket.destroy(new Error(reason));
  }

  /**
   * Says goodbye to the broker and waits until the socket is closed. `withWill` has an MQTT 5 broker publish the will all the same.
   */
  async close(withWill = false): Promise<void> {
    const late = setTimeout(() => this.#socket.destroy(), farewellTimeout);
    this.#client.end(false, withWill && this.#version === 5 ? { reasonCode: disconnectWithWill } : {});
    await this.closed;
    clearTimeout(late);
  }
}
