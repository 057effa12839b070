/** A gateway of a pair, as it describes itself. */
export interface PairMember {
  readonly name: string;
  /** Where clients reach it, such as `http://10.0.0.5:7000`. */
  readonly url: string;
  /** It could become the active gateway, or is. */
  readonly ready: boolean;
  readonly version: string;
}

/** How far the configuration of a gateway is behind. */
export interface ReplicationLag {
  /** Changes. */
  readonly entries: number;
  /** Milliseconds for which it has been behind. */
  readonly ms: number;
}

/** How a pair is, as one of its two gateways sees it. */
export interface PairStatus {
  /** What both gateways call the pair: `--pair-id`. */
  readonly id: string;
  /** Of this gateway. */
  readonly role: 'active' | 'standby';
  readonly name: string;
  readonly url: string;
  /** The active gateway; undefined when there is none, or it is not known. */
  readonly holder: { readonly name: string; readonly url: string } | undefined;
  /** Milliseconds since the active gateway renewed its lease, as far as this one knows. */
  readonly leaseAge: number | undefined;
  readonly lag: ReplicationLag | undefined;
  /** The majority of etcd's members answers. */
  readonly reachable: boolean;
  /** Why etcd, which answers, does not do what this gateway asks: one sentence; undefined: it does. */
  readonly problem: string | undefined;
  /** A hand-over is under way. */
  readonly handingOver: boolean;
  readonly lastSwitch: PairSwitch | undefined;
  /** Changes of the active gateway that this one has seen since it was started. */
  readonly switches: number;
  /** The gateways that are there, this one first. */
  readonly members: readonly PairMember[];
}

/** When another gateway became the active one, from which, and why. */
export interface PairSwitch {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly from: string;
  readonly to: string;
  /** One sentence. */
  readonly reason: string;
}

/** The pair that this gateway belongs to. */
export interface Pair {
  status(): PairStatus;
  /**
   * Gives the plant to the other gateway: takes no changes from here on, stops all drivers and lets the lease go. Resolves with the other
   * one when nothing is sent to a device any more. Rejects with STANDBY where this gateway is not the active one, and with COMMAND_FAILED
   * while the other one cannot take over; nothing has happened then.
   */
  handOver(reason: string): Promise<PairMember>;
}
