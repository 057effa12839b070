import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { ErrorCode, Fault, type Context } from '@tagway/sdk';
import type { ForeignDevice } from './foreign.ts';
import { Bvlc, envelopeToAll, Kind, Pdu, unconfirmed, Unconfirmed } from './protocol.ts';
import { instanceOf, ObjectType, typeOf } from './properties.ts';
import { readIAm } from './services.ts';
import type { Settings } from './settings.ts';

/** A device that has answered to Who-Is. */
export interface FoundDevice {
  readonly instance: number;
  readonly host: string;
  readonly port: number;
  /** Network and address of a device behind a router; network 0: it is not behind one. */
  readonly network: number;
  readonly mac: string;
  readonly vendor: number;
}

const portTaken = new Fault(
  ErrorCode.READ_FAILED,
  'The discovery_port cannot be used on this machine: another program has it; stop that, or set discovery_port to 0.',
);

/** How long devices may take to answer, in milliseconds. */
const answerTime = 2_000;

/** Most devices that are listed. */
const mostDevices = 10_000;

const whoIs = unconfirmed(Unconfirmed.WHO_IS, Buffer.alloc(0));

/** Collects the devices that answer, by their instances. */
class FoundDevices {
  readonly #context: Context<Settings>;
  readonly #devices = new Map<number, FoundDevice>();
  readonly #pdu = new Pdu();

  constructor(context: Context<Settings>) {
    this.#context = context;
  }

  get all(): readonly FoundDevice[] {
    return [...this.#devices.values()].sort((a, b) => a.instance - b.instance);
  }

  take(data: Buffer, { address, port }: RemoteInfo): void {
    if (!this.#pdu.parse(data, 0, data.length)) return this.#context.count('malformed_frames', 1);
    const device = deviceOf(this.#pdu, data, address, port);
    if (device !== undefined && this.#devices.size < mostDevices) this.#devices.set(device.instance, device);
  }
}

/** Asks all devices of this subnet who they are, from a socket of its own, because answers may come from anywhere and as broadcasts. */
export async function findHere(
  context: Context<Settings>,
  signal: AbortSignal,
): Promise<readonly FoundDevice[]> {
  const { broadcast, port, discovery_port: localPort } = context.settings;
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  const found = new FoundDevices(context);
  socket.on('message', (data, from) => found.take(data, from));
  try {
    const listening = once(socket, 'listening', { signal });
    socket.bind(localPort);
    await listening.catch(() => {
      signal.throwIfAborted();
      throw portTaken;
    });
    // A question that cannot be sent is not answered either; the list is then empty.
    socket.on('error', () => undefined);
    socket.setBroadcast(true);
    if (context.maySend())
      socket.send(envelopeToAll(whoIs, Bvlc.BROADCAST), port, broadcast, () => undefined);
    await context.clock.sleep(answerTime, signal);
  } finally {
    socket.close();
  }
  return found.all;
}

/** Asks all devices of all subnets that a broadcast management device reaches. Rejects when it does not pass the question on. */
export async function findBeyond(
  foreign: ForeignDevice,
  context: Context<Settings>,
  signal: AbortSignal,
): Promise<readonly FoundDevice[]> {
  const found = new FoundDevices(context);
  using _heard = foreign.hear((data, from) => found.take(data, from));
  foreign.broadcast(whoIs);
  await context.clock.sleep(answerTime, signal);
  if (!foreign.isRegistered) throw foreign.fault;
  return found.all;
}

function deviceOf(pdu: Pdu, data: Buffer, host: string, port: number): FoundDevice | undefined {
  if (pdu.kind !== Kind.UNCONFIRMED || pdu.service !== Unconfirmed.I_AM) return undefined;
  const iAm = readIAm(data, pdu.start, pdu.end);
  if (iAm === undefined || typeOf(iAm.object) !== ObjectType.DEVICE) return undefined;
  return {
    instance: instanceOf(iAm.object),
    host: pdu.origin?.host ?? host,
    port: pdu.origin?.port ?? port,
    network: pdu.network,
    mac: pdu.network === 0 ? '' : data.toString('hex', pdu.macStart, pdu.macStart + pdu.macLength),
    vendor: iAm.vendor,
  };
}
