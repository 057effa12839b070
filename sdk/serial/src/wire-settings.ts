import type { Fault } from '@tagway/sdk';
import { Line, tcpClient, tcpMedium, tcpServer, type Listing, type Wire } from '@tagway/sdk/link';
import { checkParity, serialPort } from './serial-port.ts';

/** How a node reaches devices on a wire: over a serial port of this machine, or over TCP through a device server. */
export const LinkKind = { SERIAL: 0, TCP: 1 } as const;
export const ConnectionMode = { CLIENT: 0, SERVER: 1 } as const;

/** The values of the codes in the settings: a code is an index into its list. */
export const bauds = [115200, 57600, 38400, 19200, 9600, 4800, 2400, 1800, 1200, 600, 300, 200, 150] as const;
const parities = ['none', 'odd', 'even', 'mark', 'space'] as const;
const stopBits = [1, 2] as const;
const dataBits = [5, 6, 7, 8] as const;

export interface SerialSettings {
  readonly link: typeof LinkKind.SERIAL;
  /** Path of the port. */
  readonly device: string;
  /** Codes: places in the lists of stop bits, parities, speeds and data bits. */
  readonly stop: number;
  readonly parity: number;
  readonly baud: number;
  readonly data: number;
}

export interface TcpSettings {
  readonly link: typeof LinkKind.TCP;
  readonly connection_mode: number;
  /** Address of the device or device server, or in server mode the local address to listen on. */
  readonly host: string;
  readonly port: number;
  /** Milliseconds for an attempt to connect. */
  readonly timeout: number;
}

/**
 * The wire of a node. `gap` is the silence before a request that the node wants at least, in milliseconds, whichever node has asked before.
 * `listing` puts the place at which a device server dials in into the list of what the gateway has open.
 */
export function wireOf(
  node: string,
  settings: SerialSettings | TcpSettings,
  gap = 0,
  listing?: Listing,
): Wire {
  return settings.link === LinkKind.TCP ? tcpWire(settings, gap, listing) : serialWire(node, settings, gap);
}

/** NODE_SETTING_INVALID for a parity that this platform does not have. */
export function checkWire(settings: SerialSettings | TcpSettings): Fault | undefined {
  return settings.link === LinkKind.SERIAL ? checkParity(parityOf(settings)) : undefined;
}

function tcpWire(
  { connection_mode, host, port, timeout }: TcpSettings,
  gap: number,
  listing: Listing | undefined,
): Wire {
  const transport =
    connection_mode === ConnectionMode.SERVER
      ? tcpServer({ host, port }, listing && { listing })
      : tcpClient({ host, port }, { timeout });
  return { transport, key: `${host}:${port}`, line: new Line({ ...tcpMedium, gap }) };
}

function serialWire(node: string, settings: SerialSettings, gap: number): Wire {
  const options = {
    path: settings.device,
    baudRate: bauds[settings.baud] ?? 9600,
    dataBits: dataBits[settings.data] ?? 8,
    stopBits: stopBits[settings.stop] ?? 1,
    parity: parityOf(settings),
  };
  const bits = 1 + options.dataBits + (options.parity === 'none' ? 0 : 1) + options.stopBits;
  const gapCharacters = Math.max(3.5, (gap * options.baudRate) / (1000 * bits));
  return serialPort(node, { ...options, gapCharacters });
}

const parityOf = ({ parity }: SerialSettings): (typeof parities)[number] => parities[parity] ?? 'none';
