import type { App, AppContext, ConnectedClient, Inputs, Subscription } from '@tagway/sdk';
import { isDeepStrictEqual } from 'node:util';
import { Permission } from './link/permission.ts';
import { SerialSide } from './link/serial-side.ts';
import type { Side } from './link/side.ts';
import { TcpSide } from './link/tcp-side.ts';
import { Directory } from './map/directory.ts';
import { identityOf } from './requests/identification.ts';
import { Requests } from './requests/requests.ts';
import { Writes } from './requests/writes.ts';
import { Medium, type Params, type Settings } from './settings.ts';
import { rowsOf } from './table/table.ts';

/** One run of a Modbus server. */
export class ModbusServerApp implements App<Params, Settings> {
  readonly #context: AppContext<Settings>;
  readonly #requests: Requests;
  readonly #side: Side;
  #settings: Readonly<Settings>;
  #directory: Directory;
  /** What the table refers to, which changes between calls. */
  #inputs: Inputs | undefined;

  constructor(context: AppContext<Settings>) {
    this.#context = context;
    const { node, settings } = context;
    this.#settings = settings;
    this.#directory = directoryOf(settings);
    this.#requests = new Requests({
      directory: this.#directory,
      writes: new Writes({ context, limit: settings.write_timeout, most: settings.max_writes }),
      identity: identityOf(settings, node),
    });
    const served = (
      requests: number,
      answers: number,
      exceptions: number,
      received: number,
      sent: number,
    ): void => {
      if (requests > 0) context.count('recv_msgs_total', requests);
      if (answers > 0) context.count('send_msgs_total', answers);
      if (exceptions > 0) context.count('exceptions_total', exceptions);
      if (received > 0) context.count('recv_bytes', received);
      if (sent > 0) context.count('send_bytes', sent);
    };
    const permission = new Permission(settings);
    const Kind = settings.medium === Medium.SERIAL ? SerialSide : TcpSide;
    this.#side = new Kind(context, this.#requests, permission, served);
  }

  async start(): Promise<void> {
    this.#context.gauge('rows', this.#directory.size);
    await this.#side.open();
  }

  /** The table says what is served; a subscription is for looking at the rows that are proposed for a group. */
  subscriptionsChanged(all: readonly Subscription<Params>[]): void {
    const [first] = all;
    if (first === undefined) return;
    this.#context.log.notice(
      `The subscription to the group "${first.group}" of "${first.driver}" serves nothing: masters see what the setting "table" has. The preview of the subscription proposes rows for it.`,
    );
  }

  deliver(): void {
    // Values come as inputs.
  }

  deliverInputs(inputs: Inputs): void {
    this.#inputs = inputs;
    this.#directory.take(inputs);
  }

  /** Another table holds at once, without a connection being lost; anything else needs another start. */
  settingsChanged(settings: Readonly<Settings>): boolean {
    const { table: _before, ...own } = this.#settings;
    const { table: _after, ...others } = settings;
    if (!isDeepStrictEqual(own, others)) return false;
    this.#settings = settings;
    this.#directory = directoryOf(settings);
    if (this.#inputs !== undefined) this.#directory.take(this.#inputs);
    this.#requests.directory = this.#directory;
    this.#context.gauge('rows', this.#directory.size);
    return true;
  }

  clients(): readonly ConnectedClient[] {
    return this.#side.clients();
  }

  stop(): Promise<void> {
    return this.#side.close();
  }
}

function directoryOf(settings: Readonly<Settings>): Directory {
  const rows = rowsOf(settings.table, settings);
  // Settings that have come so far were checked.
  return new Directory(typeof rows === 'string' ? [] : rows, settings);
}
