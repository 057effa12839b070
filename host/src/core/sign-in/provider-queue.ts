import { ErrorCode } from '@tagway/schemas';
import type { AttemptQueue, LoginSource } from '../logins/login-queue.ts';
import { Refusal, sentence } from '../system/sentence.ts';

/** Attempts that are made at the same time, of one address and of all. */
const mostOfOne = 4;
const mostOfAll = 40;

/**
 * Attempts at a provider, which wait for the network and cost this machine next to nothing: they are made side by side, and a provider
 * that is slow delays none but them.
 */
export class ProviderQueue implements AttemptQueue {
  readonly #running = new Map<string, number>();
  #all = 0;

  async run({ address }: LoginSource, login: () => Promise<void>): Promise<void> {
    const own = this.#running.get(address) ?? 0;
    if (own >= mostOfOne || this.#all >= mostOfAll)
      throw new Refusal(
        ErrorCode.BUSY,
        sentence`Too many logins wait for the provider of the sign-in. Try again in some seconds.`,
      );
    this.#running.set(address, own + 1);
    this.#all++;
    try {
      await login();
    } finally {
      this.#all--;
      const left = (this.#running.get(address) ?? 1) - 1;
      if (left > 0) this.#running.set(address, left);
      else this.#running.delete(address);
    }
  }
}
