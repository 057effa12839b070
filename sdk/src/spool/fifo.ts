/** A queue whose front is taken in constant time. */
export class Fifo<T> {
  #items: (T | undefined)[];
  #head = 0;

  constructor(items: T[] = []) {
    this.#items = items;
  }

  get size(): number {
    return this.#items.length - this.#head;
  }

  get first(): T | undefined {
    return this.#items[this.#head];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#items[this.#head++] = undefined;
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  /** All items, oldest first. */
  items(): T[] {
    return this.#items.slice(this.#head) as T[];
  }
}
