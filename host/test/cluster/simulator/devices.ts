/** A request as it arrives at the device of a node. */
export interface Packet {
  readonly node: number;
  readonly fence: number;
  readonly by: string;
}

export interface Pause {
  readonly node: number;
  /** When the device was asked last before it, and first after it. */
  readonly from: number;
  readonly to: number;
}

/** The devices: they see who asks them, and when. Nothing else decides whether the gateways did right. */
export class Devices {
  /** Requests of an earlier owner that came after one of a later owner. */
  readonly late: (Packet & { readonly at: number })[] = [];
  readonly pauses: Pause[] = [];
  readonly #newest = new Map<number, { fence: number; by: string; at: number }>();
  /** How often another gateway than before asked. */
  readonly changes = new Map<number, number>();
  readonly #interval: number;

  constructor(interval: number) {
    this.#interval = interval;
  }

  arrived(packet: Packet, at: number): void {
    const { node, fence, by } = packet;
    const newest = this.#newest.get(node);
    if (newest === undefined) {
      this.#newest.set(node, { fence, by, at });
      return;
    }
    if (fence < newest.fence || (fence === newest.fence && by !== newest.by)) {
      this.late.push({ ...packet, at });
      return;
    }
    if (at - newest.at > 2 * this.#interval) this.pauses.push({ node, from: newest.at, to: at });
    if (by !== newest.by) this.changes.set(node, (this.changes.get(node) ?? 0) + 1);
    newest.fence = fence;
    newest.by = by;
    newest.at = at;
  }

  lastAsked(node: number): number {
    return this.#newest.get(node)?.at ?? -Infinity;
  }
}
