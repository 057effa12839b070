import { ErrorCode, Fault } from '@tagway/sdk';
import { Line, serialMedium } from '@tagway/sdk/link';
import { openPort, type Port, type PortOptions } from './native.ts';

/** A node's part in a port. */
export interface PortUser {
  readonly node: string;
  received(data: Buffer, end: number): void;
  /** The port is gone for all its users. */
  lost(reason: string): void;
}

/** The ports that nodes have claimed, by path. */
const claimed = new Map<string, SharedPort>();

/** A serial port that several nodes share: opened once, while at least one of them is attached. */
export class SharedPort {
  readonly line: Line;
  readonly #options: PortOptions;
  readonly #claims = new Set<PortUser>();
  readonly #attached = new Set<PortUser>();
  /** The user that sent the last request and therefore gets the bytes that arrive. */
  #speaker: PortUser | undefined;
  #opening: Promise<Port> | undefined;
  #port: Port | undefined;
  #closing: Promise<void> = Promise.resolve();

  private constructor(options: PortOptions) {
    this.#options = options;
    const { baudRate, dataBits, stopBits, parity, gapCharacters } = options;
    const bits = 1 + dataBits + (parity === 'none' ? 0 : 1) + stopBits;
    this.line = new Line(serialMedium(baudRate, bits, gapCharacters));
  }

  /** The port for one more node. Throws NODE_SETTING_INVALID when others use it with other options. */
  static claim(options: PortOptions, user: PortUser): SharedPort {
    const { path } = options;
    const port = claimed.get(path) ?? new SharedPort(options);
    const [other] = port.#claims;
    if (other !== undefined && describe(port.#options) !== describe(options)) {
      const message =
        `The node "${other.node}" uses the port ${path} with ${describe(port.#options)}, and "${user.node}" is set to ` +
        `${describe(options)}. Nodes that share a port need the same baud rate, data bits, parity and stop bits.`;
      throw new Fault(ErrorCode.NODE_SETTING_INVALID, message, { retry: false });
    }
    claimed.set(path, port);
    port.#claims.add(user);
    return port;
  }

  /** Opens the port if it is not open. Rejects with an error that says why that is not possible. */
  async attach(user: PortUser): Promise<void> {
    this.#attached.add(user);
    this.#opening ??= this.#open();
    try {
      await this.#opening;
    } catch (error) {
      this.#attached.delete(user);
      throw error;
    }
  }

  /** Closes the port when no other user is attached. */
  detach(user: PortUser): void {
    if (this.#attached.delete(user) && this.#attached.size === 0) this.#close();
  }

  /** The user's node does not use the port any more. Resolves when it is closed, unless others use it. */
  async release(user: PortUser): Promise<void> {
    this.detach(user);
    this.#claims.delete(user);
    if (this.#claims.size > 0) return;
    await this.#closing;
    if (this.#claims.size === 0 && claimed.get(this.#options.path) === this)
      claimed.delete(this.#options.path);
  }

  send(user: PortUser, bytes: Buffer): void {
    this.#speaker = user;
    this.#port?.send(bytes);
  }

  #open(): Promise<Port> {
    const opening = this.#closing.then(() =>
      openPort(this.#options, {
        received: (data, end) => this.#received(data, end),
        lost: (reason) => {
          if (this.#opening === opening) this.#lost(reason);
        },
      }),
    );
    opening.then(
      (port) => {
        if (this.#opening === opening) this.#port = port;
      },
      () => {
        if (this.#opening === opening) this.#opening = undefined;
      },
    );
    return opening;
  }

  /** Bytes go to the user that sent last; before the first request they go to all. */
  #received(data: Buffer, end: number): void {
    if (this.#speaker !== undefined) return this.#speaker.received(data, end);
    for (const user of [...this.#attached]) user.received(data, end);
  }

  #lost(reason: string): void {
    const users = [...this.#attached];
    this.#attached.clear();
    this.#close();
    for (const user of users) user.lost(reason);
  }

  #close(): void {
    const opening = this.#opening;
    this.#opening = this.#port = this.#speaker = undefined;
    if (opening !== undefined) this.#closing = opening.then((port) => port.close()).catch(() => undefined);
  }
}

/** For example "9600 8N1". */
function describe({ baudRate, dataBits, parity, stopBits }: PortOptions): string {
  return `${baudRate} ${dataBits}${parity.charAt(0).toUpperCase()}${stopBits}`;
}
