import type { EventEmitter } from 'node:events';
import net, { type Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { followSteps, Refusal, Unavailable } from '@tagway/store';
import type { ConnectionStep, LinkStep } from '@tagway/sdk';
import pg from 'pg';
import { ArrayInsert } from './array-insert.ts';
import { type DatabaseError, describe, isOfRows } from './problem.ts';

/** Milliseconds that the goodbye to the server may take. */
const endTimeout = 500;

/** A database and how to connect to it. */
export interface DatabaseOptions {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly tls: ConnectionOptions | undefined;
  /** What the server's lists of connections show. */
  readonly applicationName: string;
  /** Milliseconds after which the server ends a statement. */
  readonly statementTimeout: number;
}

/** One connection to a database, which runs one statement at a time. */
export class Database {
  readonly #client: pg.Client;
  readonly #socket: net.Socket;
  readonly #target: string;
  #isOpen = true;

  private constructor(client: pg.Client, socket: net.Socket, target: string) {
    this.#client = client;
    this.#socket = socket;
    this.#target = target;
    client.on('end', () => (this.#isOpen = false));
  }

  /** Connects and logs in. Rejects with an Unavailable that says at which step it failed. `onStep` is called as each step begins. */
  static async open(
    options: DatabaseOptions,
    signal: AbortSignal,
    onStep: (step: ConnectionStep) => void = () => undefined,
  ): Promise<Database> {
    const { host, port, database, user, password, tls, applicationName, statementTimeout } = options;
    const target = `${host}:${port}`;
    let step: LinkStep = 'connect';
    const begin = (next: LinkStep): void => {
      step = next;
      onStep(next === 'first answer' ? 'login' : next);
    };
    const socket = new net.Socket();
    followSteps(socket, { host, isSecure: tls !== undefined }, begin);
    const client = new pg.Client({
      host,
      port,
      database,
      user,
      password,
      ssl: tls ?? false,
      stream: () => socket,
      keepAlive: true,
      application_name: applicationName,
    });
    if (tls !== undefined) secured(client, () => begin('first answer'));
    // A connection that breaks between two statements is noticed by the next one.
    client.on('error', () => undefined);
    const abort = (): void => void socket.destroy(new Error('the attempt was given up'));
    signal.addEventListener('abort', abort);
    try {
      signal.throwIfAborted();
      await client.connect();
      const opened = new Database(client, socket, target);
      await opened.query(`SET statement_timeout = ${Math.round(statementTimeout)}`);
      return opened;
    } catch (error) {
      socket.destroy();
      if (error instanceof Unavailable) throw error;
      const failed = error as DatabaseError;
      throw new Unavailable(describe(failed, target), { step, cause: error });
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Runs a statement. Rejects with an Unavailable. */
  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    try {
      const { rows } = await this.#client.query<Row>({ text, values: [...values] });
      return rows;
    } catch (error) {
      throw new Unavailable(describe(error as DatabaseError, this.#target), { cause: error });
    }
  }

  /** Adds rows. Rejects with a Refusal when the server refuses the rows, and with an Unavailable when it fails otherwise. */
  async insert(text: string, arrays: readonly Buffer[]): Promise<void> {
    try {
      await this.#client.query(new ArrayInsert(text, arrays)).done;
    } catch (error) {
      const failed = error as DatabaseError;
      const reason = describe(failed, this.#target);
      throw isOfRows(failed) ? new Refusal(reason) : new Unavailable(reason, { cause: error });
    }
  }

  /** Breaks the connection: what runs rejects. */
  break(): void {
    this.#socket.destroy();
  }

  /** Says goodbye. */
  async close(): Promise<void> {
    const late = setTimeout(() => this.break(), endTimeout);
    await this.#client.end().catch(() => undefined);
    clearTimeout(late);
  }
}

/** Calls back when the connection of a client is secure. */
function secured(client: pg.Client, callback: () => void): void {
  const { connection } = client as unknown as {
    readonly connection: EventEmitter & { readonly stream: Socket };
  };
  // By now the stream is the secure one, whose handshake has just begun.
  connection.once('sslconnect', () => connection.stream.once('secureConnect', callback));
}
