/** A map of limited size: of the entries that may be forgotten, the one that was set longest ago is forgotten first. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number;
  readonly #mayForget: (value: Value) => boolean;

  constructor(most: number, mayForget: (value: Value) => boolean = () => true) {
    super();
    this.#most = most;
    this.#mayForget = mayForget;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    if (this.size >= this.#most) this.#forget();
    return super.set(key, value);
  }

  #forget(): void {
    for (const [key, value] of this) if (this.#mayForget(value)) return void this.delete(key);
  }
}
