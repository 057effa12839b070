import type { Answer, Client, Data, Method } from '../kit/client.ts';
import type { Gateway } from '../kit/gateway.ts';
import { sleep } from '../kit/until.ts';

/** Milliseconds after which a new token is asked for; one is good for an hour. */
const tokenAge = 30 * 60_000;

/** What is refused while the gateway is out of order on purpose is no fault. */
export class Interrupted extends Error {}

/** A client of the gateway through all its starts, which keeps account of calls that failed without a reason. */
export class Session {
  /** Longest time in milliseconds that a call took which no kill interrupted. */
  slowest = 0;
  calls = 0;
  readonly failures: string[] = [];
  readonly #gateway: Gateway;
  readonly #isUp: () => boolean;
  readonly #say: (line: string) => void;
  #client: Client | undefined;
  #at = 0;
  /** Changes when the gateway is killed. */
  #life = 0;

  /** `say` is told of each failure at once. */
  constructor(gateway: Gateway, isUp: () => boolean, say: (line: string) => void) {
    this.#gateway = gateway;
    this.#isUp = isUp;
    this.#say = say;
  }

  /** Forgets the client of a gateway that is about to be killed. */
  forget(): void {
    this.#life += 1;
    this.#client = undefined;
  }

  async #current(): Promise<Client> {
    while (!this.#isUp()) await sleep(100);
    if (this.#client !== undefined && Date.now() - this.#at < tokenAge) return this.#client;
    this.#client = await this.#gateway.client();
    this.#at = Date.now();
    return this.#client;
  }

  /** Calls the API and expects success. Rejects with `Interrupted` when the gateway was killed meanwhile. */
  async ok<Body = Answer>(method: Method, path: string, data?: Data): Promise<Body> {
    let life = this.#life;
    try {
      const client = await this.#current();
      life = this.#life;
      const asked = performance.now();
      const body = await client.ok<Body>(method, path, data, { within: 30_000 });
      if (life === this.#life) this.slowest = Math.max(this.slowest, performance.now() - asked);
      this.calls += 1;
      return body;
    } catch (error) {
      if (!this.#isUp() || life !== this.#life)
        throw new Interrupted('The gateway was killed meanwhile.', { cause: error });
      throw error;
    }
  }

  /** Notes a call that should have succeeded. */
  fail(error: unknown): void {
    if (error instanceof Interrupted) return;
    const line = `${new Date().toISOString()} ${error instanceof Error ? error.message : String(error)}`;
    this.failures.push(line);
    this.#say(line);
  }
}
