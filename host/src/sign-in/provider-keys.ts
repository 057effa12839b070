import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { sentence } from '../core/system/sentence.ts';
import { invalid } from './refusals.ts';

/** Milliseconds after which the keys are asked for again, while those that are there still count. */
const freshFor = 300_000;
/** Milliseconds for which keys count while the provider cannot be asked for newer ones. */
const goodFor = 3_600_000;
/** Milliseconds between two questions, however many tokens name keys that are not known. */
const pause = 5000;
/** Most keys of a provider. */
const mostKeys = 100;

/** The keys with which a provider signs, as it publishes them. */
export class ProviderKeys {
  readonly #ask: () => Promise<unknown>;
  #keys: JWTVerifyGetKey | undefined;
  #text = '';
  #size = 0;
  #askedAt = -Infinity;
  #loadedAt = -Infinity;
  #asking: Promise<void> | undefined;
  #failure: Error | undefined;

  constructor(ask: () => Promise<unknown>) {
    this.#ask = ask;
  }

  /** It differs when the provider has added or withdrawn a key. */
  get version(): string {
    return this.#text;
  }

  get size(): number {
    return this.#size;
  }

  /** Has the keys that are there at most an hour old. Rejects with the codes of providers. */
  async load(): Promise<void> {
    const now = performance.now();
    if (this.#keys === undefined || now - this.#loadedAt > goodFor) {
      await this.#refresh();
      if (this.#failure !== undefined) throw this.#failure;
    } else if (now - this.#loadedAt > freshFor) void this.#refresh();
  }

  /** What finds the key of a token, asking the provider when it has another one than those that are known. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    await this.load();
    try {
      return await this.#keys!(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await this.#refresh();
      return this.#keys!(header, token);
    }
  };

  /** Never rejects. */
  #refresh(): Promise<void> {
    if (this.#asking !== undefined) return this.#asking;
    if (performance.now() - this.#askedAt < pause) return Promise.resolve();
    this.#askedAt = performance.now();
    this.#asking = this.#ask()
      .then((found) => {
        const { keys } = (found ?? {}) as Partial<JSONWebKeySet>;
        if (!Array.isArray(keys) || keys.length > mostKeys)
          throw invalid(sentence`The provider of the sign-in does not publish its keys as it should.`);
        this.#keys = createLocalJWKSet({ keys });
        this.#size = keys.length;
        this.#text = JSON.stringify(keys);
        this.#loadedAt = performance.now();
        this.#failure = undefined;
      })
      .catch((error: unknown) => {
        this.#failure = error instanceof Error ? error : new Error('The keys could not be asked for.');
      })
      .finally(() => {
        this.#asking = undefined;
      });
    return this.#asking;
  }
}
