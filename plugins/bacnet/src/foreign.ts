import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { ErrorCode, Fault, type Context } from '@tagway/sdk';
import {
  Bvlc,
  BvlcResult,
  deleteForeignDevice,
  envelopeToAll,
  registerForeignDevice,
  resultOf,
} from './protocol.ts';
import type { Settings } from './settings.ts';

/** Milliseconds until a broadcast management device that is silent or has refused is asked again. */
const pause = 10_000;

/** The state of the registration as it was logged last. */
type State = 'none' | 'registered' | 'silent' | 'refused' | 'unknown host';

/**
 * The registration of this node as a foreign device at a broadcast management device (BBMD; ANSI/ASHRAE 135, J.5): through it broadcasts of this
 * node reach other subnets, and theirs this node. It is renewed after half of its time to live, for as long as the node runs.
 */
export class ForeignDevice {
  readonly #context: Context<Settings>;
  /** Called with what reaches this node through the BBMD. */
  readonly #hear = new Set<(data: Buffer, from: RemoteInfo) => void>();
  /** Undefined while the gateway may not send to devices, for which the socket is closed. */
  #socket: Socket | undefined;
  #isStopped = false;
  /** The address of the BBMD; results from others are not taken. */
  #address = '';
  #timer: Disposable | undefined;
  /** Registrations sent since the last answer. */
  #tries = 0;
  /** Until when the BBMD passes broadcasts on, in monotonic milliseconds. */
  #until = -Infinity;
  #state: State = 'none';
  /** A broadcast that is sent, once more if need be, as soon as there is a registration. */
  #unsent: Buffer | undefined;

  constructor(context: Context<Settings>) {
    this.#context = context;
  }

  /** Whether the BBMD passes broadcasts on at present. */
  get isRegistered(): boolean {
    return this.#context.clock.monotonic() < this.#until;
  }

  /** The fault of a search for devices, which needs broadcasts, without a registration. */
  get fault(): Fault {
    const cause = this.#state === 'refused' ? 'refuses to register this node' : 'does not answer';
    return new Fault(
      ErrorCode.READ_FAILED,
      `Devices cannot be looked for: the broadcast management device at ${this.#name} ${cause}; check bbmd_host and bbmd_port.`,
    );
  }

  /** Begins to register. Whether that succeeds is no condition for the start of a node. */
  async start(): Promise<void> {
    await this.#open();
    void this.#register();
  }

  async #open(): Promise<void> {
    const socket = createSocket('udp4');
    this.#context.guard(socket);
    socket.on('message', (data, from) => this.#receive(data, from));
    socket.once('close', () => {
      if (this.#socket === socket) this.#socket = undefined;
    });
    const listening = once(socket, 'listening');
    // A BBMD knows a foreign device by the address that its registration came from, so any port will do.
    socket.bind(0);
    await listening;
    // A request that cannot be sent is not answered either, and that is logged.
    socket.on('error', () => undefined);
    if (this.#isStopped) socket.close();
    else this.#socket = socket;
  }

  /** Sends an APDU to all networks, when there is a registration. */
  broadcast(apdu: Buffer): void {
    this.#unsent = envelopeToAll(apdu, Bvlc.DISTRIBUTE_BROADCAST);
    if (this.isRegistered) this.#send(this.#unsent);
  }

  /** Hands everything that is not about the registration to `take`, until it is disposed of. */
  hear(take: (data: Buffer, from: RemoteInfo) => void): Disposable {
    this.#hear.add(take);
    return {
      [Symbol.dispose]: () => {
        this.#hear.delete(take);
        this.#unsent = undefined;
      },
    };
  }

  /** Asks the BBMD to forget the node, which it otherwise does when the time to live is over. */
  async stop(): Promise<void> {
    this.#timer?.[Symbol.dispose]();
    this.#isStopped = true;
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket === undefined) return;
    if (this.isRegistered && this.#context.maySend()) {
      const { port } = socket.address();
      const host = await localAddressTo(this.#address, this.#context.settings.bbmd_port);
      if (host !== undefined)
        await new Promise<void>((sent) => this.#send(deleteForeignDevice(host, port), socket, sent));
    }
    await new Promise<void>((resolve) => socket.close(resolve));
  }

  get #name(): string {
    const { bbmd_host: host, bbmd_port: port } = this.#context.settings;
    return `${host}, port ${port}`;
  }

  async #register(): Promise<void> {
    const { bbmd_host: host, bbmd_ttl: ttl, timeout } = this.#context.settings;
    try {
      if (this.#socket === undefined) await this.#open();
      this.#address = (await lookup(host, 4)).address;
    } catch {
      if (this.#isStopped) return;
      if (!this.isRegistered) this.#log('unknown host');
      return this.#later(pause, () => void this.#register());
    }
    if (this.#isStopped) return;
    this.#tries++;
    this.#send(registerForeignDevice(ttl));
    this.#later(timeout, () => this.#unanswered());
  }

  #unanswered(): void {
    if (this.#tries <= this.#context.settings.retries) return void this.#register();
    this.#tries = 0;
    // A registration that cannot be renewed yet still holds until its time is over.
    if (!this.isRegistered) this.#log('silent');
    this.#later(pause, () => void this.#register());
  }

  #later(ms: number, then: () => void): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#context.clock.timer(ms, then);
  }

  #receive(data: Buffer, from: RemoteInfo): void {
    const result = resultOf(data);
    if (result === undefined) {
      for (const take of this.#hear) take(data, from);
    } else if (from.address !== this.#address || from.port !== this.#context.settings.bbmd_port) {
      this.#context.count('foreign_frames', 1);
    } else this.#result(result);
  }

  #result(result: number): void {
    const { clock, settings } = this.#context;
    if (result === BvlcResult.DISTRIBUTE_BROADCAST_NAK) {
      // The BBMD has forgotten the node, as after a restart.
      this.#until = -Infinity;
      return void this.#register();
    }
    // Results do not name their request: without a registration under way, one is late.
    if (this.#tries === 0) return this.#context.count('late_frames', 1);
    this.#tries = 0;
    if (result === BvlcResult.SUCCESS) {
      const ttl = settings.bbmd_ttl * 1000;
      this.#until = clock.monotonic() + ttl;
      this.#log('registered');
      this.#later(ttl / 2, () => void this.#register());
      if (this.#unsent !== undefined) this.#send(this.#unsent);
      this.#unsent = undefined;
    } else {
      this.#until = -Infinity;
      this.#log('refused');
      this.#later(pause, () => void this.#register());
    }
  }

  /** Logs the state of the registration when it has changed. */
  #log(state: Exclude<State, 'none'>): void {
    if (state === this.#state) return;
    const before = this.#state;
    this.#state = state;
    const { node, log, settings } = this.#context;
    const device = `the broadcast management device at ${this.#name}`;
    if (state === 'registered') {
      const again = before === 'none' ? '' : ' again';
      log.notice(
        `Node ${node} is registered${again} as a foreign device at ${device}, for ${settings.bbmd_ttl} s at a time.`,
      );
      return;
    }
    const causes = {
      silent: 'which does not answer',
      refused: 'which refuses it',
      'unknown host': 'whose name cannot be resolved',
    };
    const lost = before === 'registered' ? 'no longer' : 'not';
    log.warn(
      `Node ${node} is ${lost} registered as a foreign device at ${device}, ${causes[state]}: broadcasts do not pass until it does. ` +
        'Check the settings bbmd_host and bbmd_port, and whether the device takes foreign devices.',
    );
  }

  #send(bytes: Buffer, socket = this.#socket, sent: () => void = () => undefined): void {
    if (!this.#context.maySend()) return sent();
    socket?.send(bytes, this.#context.settings.bbmd_port, this.#address, () => sent());
  }
}

/** The address of this machine from which datagrams to `host` are sent: by it the BBMD knows the node. */
async function localAddressTo(host: string, port: number): Promise<string | undefined> {
  const socket = createSocket('udp4');
  try {
    return await new Promise<string | undefined>((resolve) => {
      socket.once('error', () => resolve(undefined));
      socket.connect(port, host, () => resolve(socket.address().address));
    });
  } finally {
    socket.close();
  }
}
