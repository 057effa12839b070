import { appendFileSync } from 'node:fs';
import type { Client } from '../kit/client.ts';
import type { Gateway } from '../kit/gateway.ts';
import { ApiProbe } from '../kit/api-probe.ts';
import { processesOf } from '../kit/processes.ts';

/** How a gateway fared; the line at the end of a run shows the worst of all files. */
export interface Figures {
  /** Longest time in milliseconds that a client with a token waited for an answer. */
  readonly pause: number;
  /** Resident memory of the gateway's own process in MB, before and after. */
  readonly before: number;
  readonly after: number;
}

/** Puts figures where the run collects those of all files. */
export function note({ pause, before, after }: Figures): void {
  const file = process.env['TEST_FIGURES'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ pause, before, after })}\n`);
}

/** Resident memory of a gateway's own process in MB. */
export async function memoryOf({ pid }: Gateway): Promise<number> {
  return ((await processesOf(pid)).find((row) => row.pid === pid)?.rss ?? 0) / 1e6;
}

/** Asks a gateway something simple again and again while a test mistreats it. */
export class Observation {
  readonly #gateway: Gateway;
  readonly #probe: ApiProbe;
  readonly #before: number;

  private constructor(gateway: Gateway, client: Client, before: number) {
    this.#gateway = gateway;
    this.#before = before;
    this.#probe = new ApiProbe(client);
  }

  static async begin(gateway: Gateway, client: Client): Promise<Observation> {
    return new Observation(gateway, client, await memoryOf(gateway));
  }

  /** Ends the observation and notes it; rejects when an answer was missing or wrong. */
  async end(): Promise<Figures> {
    await this.#probe.stop();
    const figures = {
      pause: this.#probe.slowest,
      before: this.#before,
      after: await memoryOf(this.#gateway),
    };
    note(figures);
    return figures;
  }
}
