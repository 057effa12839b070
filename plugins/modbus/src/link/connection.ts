import { LinkState, type Context } from '@tagway/sdk';
import type { Transport } from './transport.ts';

type ConnectionContext = Pick<Context, 'log' | 'link'>;

/**
 * What is known of the connection below a link, and what operators hear of it. Once a connection went without any answer, a new one
 * alone proves nothing: the node is shown as connected only when the device answers.
 */
export class Connection {
  up = false;
  /** Counts connections. */
  generation = 0;
  readonly #context: ConnectionContext;
  readonly #transport: Transport;
  #asked = false;
  #proven = false;
  #doubted = false;
  /** The present trouble has been logged. */
  #complained = false;

  constructor(context: ConnectionContext, transport: Transport) {
    this.#context = context;
    this.#transport = transport;
  }

  connecting(): void {
    this.#context.link(LinkState.CONNECTING);
  }

  /** The first attempt has ended. */
  attempted(): void {
    if (!this.up) this.#context.link(LinkState.DISCONNECTED);
  }

  opened(peer: string): void {
    this.#asked = this.#proven = false;
    this.generation++;
    this.up = true;
    if (this.#doubted || this.#transport.datagrams) return;
    this.#context.log.info(`Connected to ${peer}.`);
    this.#context.link(LinkState.CONNECTED);
  }

  /** Something was asked. */
  asked(): void {
    this.#asked = true;
  }

  /** The device is there; only now the next attempt to connect may be made as soon as the first. */
  answered(): void {
    if (this.#proven) return;
    this.#proven = true;
    this.#doubted = false;
    this.#complained = false;
    this.#transport.proven();
    this.#context.link(LinkState.CONNECTED);
  }

  /** A connection means nothing from now on until something is answered. */
  doubt(): void {
    this.#doubted = true;
  }

  closed(reason: string): void {
    const { link, log } = this.#context;
    const message = `The link to the device is down: ${reason}.`;
    if (this.#complained) log.debug(message);
    else log.warn(message);
    this.#complained = true;
    if (this.#asked && !this.#proven) this.#doubted = true;
    link(LinkState.DISCONNECTED);
  }
}
