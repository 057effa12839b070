import type { Socket } from 'node:net';
import type { Connection, Submittable } from 'pg';
import type { DatabaseError } from './problem.ts';

/** The parts of a connection of `pg` that a statement of its own uses. */
interface StatementConnection {
  readonly stream: Socket;
  parse(query: { readonly text: string }): void;
  execute(config: object): void;
  sync(): void;
  once(event: 'readyForQuery', listener: () => void): void;
}

/** The first bytes of the message Bind: its letter, its length, no names of portal and statement, one format for all parameters: binary. */
const bindHead = 11;
/** Its last ones: no formats of results. */
const bindEnd = Buffer.from([0, 0]);

/**
 * A statement whose parameters are arrays in PostgreSQL's binary form, each with its length before it. `pg` would copy them several times to put
 * them together; here they go to the socket as they are, and may be changed again when `done` has settled.
 */
export class ArrayInsert implements Submittable {
  readonly done: Promise<void>;
  readonly #text: string;
  readonly #parameters: readonly Buffer[];
  readonly #resolve: () => void;
  readonly #reject: (error: Error) => void;

  constructor(text: string, parameters: readonly Buffer[]) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#text = text;
    this.#parameters = parameters;
    this.done = promise;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(on: Connection): void {
    const connection = on as unknown as StatementConnection;
    const { stream } = connection;
    stream.cork();
    connection.parse({ text: this.#text });
    const head = Buffer.alloc(bindHead + 2);
    const length = this.#parameters.reduce((sum, parameter) => sum + parameter.length, 0);
    head.write('B');
    head.writeInt32BE(head.length - 1 + length + bindEnd.length, 1);
    head.writeInt16BE(1, 7);
    head.writeInt16BE(1, 9);
    head.writeInt16BE(this.#parameters.length, bindHead);
    stream.write(head);
    for (const parameter of this.#parameters) stream.write(parameter);
    stream.write(bindEnd);
    connection.execute({});
    connection.sync();
    stream.uncork();
  }

  handleReadyForQuery(): void {
    this.#resolve();
  }

  /** What the server refuses it has not read to the end yet: until it is ready again the parameters are on their way. */
  handleError(error: DatabaseError, on: Connection): void {
    const connection = on as unknown as StatementConnection;
    if (error.severity === undefined || connection.stream.destroyed) return this.#reject(error);
    connection.once('readyForQuery', () => this.#reject(error));
    connection.stream.once('close', () => this.#reject(error));
  }

  handleCommandComplete(): void {}
  handleParseComplete(): void {}
  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}
  handleRowDescription(): void {}
  handleDataRow(): void {}
}
