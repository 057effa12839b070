import { connect, type Socket } from 'node:net';
import { ErrorCode, Fault } from '@tagway/sdk';

/** Most characters of an answer; whoever sends more is not our device. */
const longest = 4096;

interface Waiting {
  resolve(answer: string): void;
  reject(fault: Fault): void;
}

/**
 * A connection that takes one question at a time and gets a line for it. It is opened when it is needed and given up after any failure:
 * an answer that comes late could be taken for the answer to another question.
 */
export class Connection {
  readonly #target: { readonly host: string; readonly port: number };
  readonly #timeout: number;
  #socket: Socket | undefined;
  #received = '';
  #waiting: Waiting | undefined;

  constructor({ host, port, timeout }: { host: string; port: number; timeout: number }) {
    this.#target = { host, port };
    this.#timeout = timeout;
  }

  /** Rejects with NO_RESPONSE after the timeout, with DISCONNECTED when there is no connection, and with the signal's reason. */
  async ask(request: string, signal: AbortSignal): Promise<string> {
    const giveUp = (): void => this.#fail(signal.reason as Fault);
    const late = new Fault(ErrorCode.NO_RESPONSE, `The device did not answer within ${this.#timeout} ms.`);
    const deadline = setTimeout(() => this.#fail(late), this.#timeout);
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      return await new Promise<string>((resolve, reject) => {
        this.#waiting = { resolve, reject };
        this.#socket ??= this.#open();
        this.#socket.write(`${request}\n`);
      });
    } finally {
      clearTimeout(deadline);
      signal.removeEventListener('abort', giveUp);
    }
  }

  close(): void {
    this.#fail(new Fault(ErrorCode.DISCONNECTED, 'The connection was closed.'));
  }

  #open(): Socket {
    const socket = connect(this.#target).setNoDelay(true).setEncoding('latin1');
    this.#received = '';
    const lost = (error?: Error): void => {
      const reason =
        error === undefined
          ? 'The device closed the connection.'
          : `There is no connection: ${error.message}.`;
      if (socket === this.#socket) this.#fail(new Fault(ErrorCode.DISCONNECTED, reason));
    };
    socket.on('data', (text) => {
      if (socket === this.#socket) this.#take(String(text));
    });
    socket.on('error', lost);
    socket.on('close', () => lost());
    return socket;
  }

  #take(text: string): void {
    this.#received += text;
    const end = this.#received.indexOf('\n');
    if (end < 0 && this.#received.length <= longest) return;
    const waiting = this.#waiting;
    // Nobody has asked, or this is not what was asked for.
    if (waiting === undefined || end !== this.#received.length - 1)
      return this.#fail(new Fault(ErrorCode.DECODE_FAILED, 'What came is not one line for one question.'));
    this.#waiting = undefined;
    waiting.resolve(this.#received.slice(0, end).trimEnd());
    this.#received = '';
  }

  #fail(fault: Fault): void {
    this.#socket?.destroy();
    this.#socket = undefined;
    this.#waiting?.reject(fault);
    this.#waiting = undefined;
  }
}
