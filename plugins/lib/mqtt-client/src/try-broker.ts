import { randomBytes } from 'node:crypto';
import type { ConnectionTest } from '@tagway/sdk';
import type { Broker } from './broker.ts';
import { ConnectError, Connection } from './connection.ts';
import type { BrokerSettings } from './settings.ts';

/** What a login has to be allowed. */
export interface WantedRights {
  /** Topics that the node subscribes to. */
  readonly topics: readonly string[];
  /** A message of nothing that the broker may be asked to take. With MQTT 3.1.1 and with QoS 0 it does not say whether it does. */
  readonly message?: { readonly topic: string; readonly payload: Buffer } | undefined;
}

/** The client id of a test: a second client with that of the node would end the session of a node that runs. */
export function testClientId(settings: Pick<BrokerSettings, 'client-id'>): string {
  const own = settings['client-id'];
  return own ? `${own}-test` : `tagway-test-${randomBytes(4).toString('hex')}`;
}

/** Tries whether a broker lets a node in, step by step, and as far as it says so, whether the node has the rights that it needs. */
export async function tryBroker(
  { step, signal }: Pick<ConnectionTest<unknown>, 'step' | 'signal'>,
  broker: Broker,
  { topics, message }: WantedRights,
): Promise<void> {
  const connection = await Connection.open(
    broker,
    () => undefined,
    signal,
    (at) => step(at === 'first answer' ? 'login' : at),
  ).catch((error: unknown) => {
    const isOfLogin = error instanceof ConnectError && error.step === 'first answer';
    throw connectProblem(broker, error, isOfLogin ? ` The test connects as "${broker.clientId}".` : '');
  });
  const abort = (): void => connection.fail('The attempt was given up.');
  signal.addEventListener('abort', abort);
  try {
    if (topics.length > 0 || message !== undefined) step('rights');
    if (topics.length > 0) await subscribe(connection, topics, broker.qos);
    if (message !== undefined) await publish(connection, message);
  } finally {
    signal.removeEventListener('abort', abort);
    await connection.close();
  }
}

/** Tries the way to a broker, up to where it would say who it is. */
export async function tryDial(
  { step, signal }: Pick<ConnectionTest<unknown>, 'step' | 'signal'>,
  broker: Broker,
): Promise<void> {
  const reached = new AbortController();
  const end = AbortSignal.any([signal, reached.signal]);
  try {
    const connection = await Connection.open(
      broker,
      () => undefined,
      end,
      (at) => (at === 'first answer' ? reached.abort() : step(at)),
    );
    await connection.close();
  } catch (error) {
    if (!reached.signal.aborted) throw connectProblem(broker, error);
  }
}

function connectProblem({ host, port }: Broker, error: unknown, more = ''): Error {
  const reason = error instanceof Error ? error.message : String(error);
  return new Error(`There is no connection to the broker ${host}:${port}: ${reason}${more}`, {
    cause: error,
  });
}

async function subscribe(
  connection: Connection,
  topics: readonly string[],
  qos: Broker['qos'],
): Promise<void> {
  try {
    await connection.subscribe(topics, qos);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The broker refuses a subscription to ${topics.join(', ')}: ${reason}.`, {
      cause: error,
    });
  }
}

async function publish(
  connection: Connection,
  { topic, payload }: NonNullable<WantedRights['message']>,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  connection.publish(topic, payload, (refused) => {
    if (refused === undefined) resolve();
    else reject(new Error(`The broker refuses a message to the topic ${topic}: ${refused.reason}.`));
  });
  const ended = connection.closed.then(({ reason }) => {
    throw new Error(`The connection ended when a message was sent to the topic ${topic}: ${reason}`);
  });
  await Promise.race([promise, ended]);
}
