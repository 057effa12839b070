import { WireDevice } from '../wire/device.ts';
import { unusedPort } from './port.ts';
import { type Relay, ServedRelay, TcpRelay, UdpRelay } from './relay.ts';

/** A device, or the server that an app sends to, on a port of 127.0.0.1, for one test. */
export interface Peer extends AsyncDisposable {
  readonly port: number;
  /** How many messages a server has received so far, if it counts them. */
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

/** How the suite gets the client of an app that listens, as a server does. */
export interface ClientOptions {
  /**
   * Starts a client of the app, which is at this port of 127.0.0.1: it connects, again and again when there is no connection, and counts the
   * values that it is sent, in `taken`. It sends and is sent nothing else while no value changes, but for a sign of life after some seconds.
   */
  readonly client: (port: number) => Promise<Peer>;
  /** Settings of a node that listens at this port of 127.0.0.1. */
  readonly settings: (port: number) => object;
}

/** A peer behind a relay, which can simulate a dead, slow or faulty connection. */
export class RelayedPeer implements AsyncDisposable {
  readonly relay: Relay;
  /** The peer itself, behind the relay. */
  readonly peer: Peer;
  /** Settings of a node that has this peer. */
  readonly settings: object;

  private constructor(peer: Peer, relay: Relay, settings: object) {
    this.peer = peer;
    this.relay = relay;
    this.settings = settings;
  }

  static async start(options: PeerOptions | ClientOptions): Promise<RelayedPeer> {
    if ('client' in options) {
      const port = await unusedPort();
      const relay = await ServedRelay.open(port);
      return new RelayedPeer(await options.client(relay.port), relay, options.settings(port));
    }
    const peer = await (options.peer instanceof URL ? WireDevice.start(options.peer) : options.peer());
    const relay = await (options.transport === 'udp' ? UdpRelay : TcpRelay).open(peer.port);
    return new RelayedPeer(peer, relay, options.settings(relay.port));
  }

  /** Grows when the peer receives something: the messages if the peer counts them, otherwise the bytes. */
  get taken(): number {
    return this.peer.taken ?? this.relay.bytesReceived;
  }

  /** Throws what a wire script did not expect, if it has received something of the kind: that is why a test fails, then. */
  check(): void {
    if (this.peer instanceof WireDevice && this.peer.problem !== undefined) throw this.peer.problem;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.relay[Symbol.asyncDispose]();
    await this.peer[Symbol.asyncDispose]();
  }
}
