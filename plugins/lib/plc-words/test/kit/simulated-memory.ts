/** What a simulated PLC holds: words and bits by area, all 0 at first. */
export class SimulatedMemory {
  /** Areas that do not exist. */
  readonly missing = new Set<number>();
  readonly #size: number;
  readonly #words = new Map<number, Uint16Array>();
  readonly #bits = new Map<number, Uint8Array>();
  readonly #holes = new Set<string>();

  /** `size`: places of every area. */
  constructor(size = 65_536) {
    this.#size = size;
  }

  words(area: number): Uint16Array {
    return taken(this.#words, area, () => new Uint16Array(this.#size));
  }

  bits(area: number): Uint8Array {
    return taken(this.#bits, area, () => new Uint8Array(this.#size));
  }

  /** A request that touches this place is refused from now on. */
  addHole(area: number, place: number): void {
    this.#holes.add(`${area} ${place}`);
  }

  /** Whether all these places are there. */
  has(area: number, start: number, count: number): boolean {
    if (this.missing.has(area) || start + count > this.#size) return false;
    if (this.#holes.size > 0)
      for (let place = start; place < start + count; place++)
        if (this.#holes.has(`${area} ${place}`)) return false;
    return true;
  }
}

function taken<T>(map: Map<number, T>, area: number, make: () => T): T {
  const known = map.get(area) ?? make();
  map.set(area, known);
  return known;
}
