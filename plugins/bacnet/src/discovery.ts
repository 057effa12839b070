import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { ErrorCode, Fault, type Clock } from '@tagway/sdk';
import { Bvlc, envelope, Kind, Pdu, registerForeignDevice, unconfirmed, Unconfirmed } from './protocol.ts';
import { instanceOf, ObjectType, typeOf } from './properties.ts';
import { readIAm } from './services.ts';

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

export interface DiscoveryOptions {
  /** Where Who-Is goes; with `bbmd` it is sent to that device alone, which passes it on to all its subnets. */
  readonly broadcast: string;
  readonly port: number;
  readonly localPort: number;
  readonly bbmd: { readonly host: string; readonly port: number } | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const portTaken = new Fault(
  ErrorCode.READ_FAILED,
  'The discovery_port cannot be used on this machine: another program has it; stop that, or set discovery_port to 0.',
);

/** How long devices may take to answer, in milliseconds. */
const patience = 2_000;

/** Seconds for which a broadcast management device passes broadcasts on. */
const registration = 30;

/** Most devices that are listed. */
const mostDevices = 10_000;

/** Asks all devices who they are, from a socket of its own, because answers may come from anywhere and as broadcasts. */
export async function findDevices(options: DiscoveryOptions): Promise<readonly FoundDevice[]> {
  const { broadcast, port, localPort, bbmd, clock, signal } = options;
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  const found = new Map<number, FoundDevice>();
  const pdu = new Pdu();
  socket.on('message', (data, from) => {
    const device = pdu.parse(data, 0, data.length) ? deviceOf(pdu, data, from.address, from.port) : undefined;
    if (device !== undefined && found.size < mostDevices) found.set(device.instance, device);
  });
  try {
    const listening = once(socket, 'listening', { signal });
    socket.bind(localPort);
    await listening.catch(() => {
      signal.throwIfAborted();
      throw portTaken;
    });
    // What cannot be sent is not answered either; the list is then empty.
    socket.on('error', () => undefined);
    socket.setBroadcast(true);
    const apdu = unconfirmed(Unconfirmed.WHO_IS, Buffer.alloc(0));
    if (bbmd === undefined) {
      socket.send(envelopeToAll(apdu, Bvlc.BROADCAST), port, broadcast, () => undefined);
    } else {
      socket.send(registerForeignDevice(registration), bbmd.port, bbmd.host, () => undefined);
      socket.send(envelopeToAll(apdu, Bvlc.DISTRIBUTE_BROADCAST), bbmd.port, bbmd.host, () => undefined);
    }
    await clock.sleep(patience, signal);
  } finally {
    socket.close();
  }
  return [...found.values()].sort((a, b) => a.instance - b.instance);
}

/** The network 65535 is all networks; an address of no bytes is all stations (6.2.2). */
function envelopeToAll(apdu: Buffer, call: number): Buffer {
  return envelope(apdu, { route: { network: 0xffff, mac: Buffer.alloc(0) }, call });
}

function deviceOf(pdu: Pdu, data: Buffer, host: string, port: number): FoundDevice | undefined {
  if (pdu.kind !== Kind.UNCONFIRMED || pdu.service !== Unconfirmed.I_AM) return undefined;
  const said = readIAm(data, pdu.start, pdu.end);
  if (said === undefined || typeOf(said.object) !== ObjectType.DEVICE) return undefined;
  return {
    instance: instanceOf(said.object),
    host: pdu.origin?.host ?? host,
    port: pdu.origin?.port ?? port,
    network: pdu.network,
    mac: pdu.network === 0 ? '' : data.toString('hex', pdu.macStart, pdu.macStart + pdu.macLength),
    vendor: said.vendor,
  };
}
