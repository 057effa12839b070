import { WireDevice } from '../wire/device.ts';
import { type Relay, TcpRelay, UdpRelay } from './relay.ts';

/** A device, or the server that an app sends to, on a port of 127.0.0.1, for one test. */
export interface Peer extends AsyncDisposable {
  readonly port: number;
  /** How many messages a server has taken so far, if it can tell. */
  readonly taken?: number;
}

/** How the suite gets the peer of a test: a function that starts one, or a wire script. */
export interface PeerOptions {
  readonly peer: (() => Promise<Peer>) | URL;
  /** Default `tcp`. */
  readonly transport?: 'tcp' | 'udp';
  /** Settings of a node whose peer listens on this port of 127.0.0.1. Choose its deadlines short: tests wait for them. */
  readonly settings: (port: number) => object;
}

/** A peer behind a relay, which can make it seem dead, slow or mad. */
export class PeerOnBench implements AsyncDisposable {
  readonly relay: Relay;
  /** The peer itself, behind the relay. */
  readonly peer: Peer;
  readonly #options: PeerOptions;

  private constructor(peer: Peer, relay: Relay, options: PeerOptions) {
    this.peer = peer;
    this.relay = relay;
    this.#options = options;
  }

  static async start(options: PeerOptions): Promise<PeerOnBench> {
    const peer = await (options.peer instanceof URL ? WireDevice.start(options.peer) : options.peer());
    const relay = await (options.transport === 'udp' ? UdpRelay : TcpRelay).open(peer.port);
    return new PeerOnBench(peer, relay, options);
  }

  get settings(): object {
    return this.#options.settings(this.relay.port);
  }

  /** Grows when the peer is sent something: by a message if it counts them, by bytes otherwise. */
  get taken(): number {
    return this.peer.taken ?? this.relay.asked;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.relay[Symbol.asyncDispose]();
    await this.peer[Symbol.asyncDispose]();
  }
}
