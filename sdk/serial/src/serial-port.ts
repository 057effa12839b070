import { ErrorCode, Fault, type Clock } from '@tagway/sdk';
import {
  Dialer,
  type Failure,
  type Line,
  type Transport,
  type TransportEvents,
  type Wire,
} from '@tagway/sdk/link';
import { loadNative, type PortOptions } from './native.ts';
import { SharedPort, type PortUser } from './shared-port.ts';

/** A serial port as a transport, and as a wire that nodes share. */
export interface SerialPort extends Transport, Wire {
  readonly transport: Transport;
}

/**
 * A serial port, opened again after every loss, for example when its adapter is plugged in again. Nodes of one plugin that name the same
 * path share it and must agree on speed, parity and sizes; `node` is the name by which error sentences for the others name this node.
 */
export function serialPort(node: string, options: PortOptions): SerialPort {
  return new SerialTransport(node, options);
}

/** NODE_SETTING_INVALID for a parity that this platform does not have. */
export function checkParity(parity: PortOptions['parity']): Fault | undefined {
  if ((parity !== 'mark' && parity !== 'space') || process.platform === 'win32') return undefined;
  return new Fault(
    ErrorCode.NODE_SETTING_INVALID,
    'Mark and space parity do not exist on this platform. In place of mark parity with one stop bit use no parity with two stop ' +
      'bits, which looks the same on the line.',
  );
}

class SerialTransport implements SerialPort, PortUser {
  readonly datagrams = false;
  readonly transport = this;
  readonly node: string;
  readonly key: string;
  readonly #options: PortOptions;
  #dialer: Dialer<string> | undefined;
  #port: SharedPort | undefined;
  #events: TransportEvents | undefined;
  #attached = false;

  constructor(node: string, options: PortOptions) {
    this.node = node;
    this.key = options.path;
    this.#options = options;
  }

  get line(): Line {
    if (this.#port === undefined) throw new Error('The port is not open.');
    return this.#port.line;
  }

  async open(events: TransportEvents, clock: Clock): Promise<void> {
    await loadNative();
    this.#port = SharedPort.claim(this.#options, this);
    this.#events = events;
    this.#dialer = new Dialer([this.key], clock, () => void this.#attach());
    this.#dialer.start();
  }

  send(bytes: Buffer): void {
    if (this.#attached) this.#port?.send(this, bytes);
  }

  drop(failure: Failure): void {
    if (!this.#attached) return;
    this.#port?.detach(this);
    this.#gone(failure);
  }

  proven(): void {
    this.#dialer?.proven();
  }

  async close(): Promise<void> {
    this.#dialer?.stop();
    this.#events = undefined;
    this.#attached = false;
    await this.#port?.release(this);
  }

  received(data: Buffer, end: number): void {
    if (this.#attached) this.#events?.received(data, end);
  }

  lost(reason: string): void {
    this.#gone({ kind: 'error', step: 'connect', reason: `${this.key}: ${reason}` });
  }

  #gone(failure: Failure): void {
    this.#attached = false;
    this.#events?.closed(failure);
    this.#dialer?.again();
  }

  async #attach(): Promise<void> {
    try {
      await this.#port?.attach(this);
    } catch (error) {
      return this.lost(error instanceof Error ? error.message : String(error));
    }
    if (this.#events === undefined) return;
    this.#attached = true;
    this.#events.opened(this.key);
  }
}
