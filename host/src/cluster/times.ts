/** Every time of the cluster's protocol, in milliseconds, and its counts. */
export const times = {
  /** A lease in etcd lasts this long without being renewed. */
  lease: 5000,
  /** Looks that are further apart show too little of how long leases were renewed. */
  blind: 1000,
  /** Between the beginnings of two renewals, and of two looks at what is new in etcd. */
  renew: 500,
  look: 200,
  /** Before a look, a renewal or a change that got no answer, or was refused, is tried again. */
  again: 300,
  /** After a renewal that succeeded was sent: nothing is sent to devices any more. */
  deadline: 3000,
  /** After the same moment: the runners of drivers are killed. */
  kill: 3500,
  /**
   * Without an answer of etcd for this long a member renews no more before it is answered again: where only answers are lost, renewals would
   * keep the lease, and with it nodes that nobody asks.
   */
  doubt: 1500,
  /**
   * A host that says nothing for this long is killed. The agent of a pair waits 2000 ms (`pair/agent/host-process.ts`): there a verdict that
   * comes too early switches the whole plant, so a start that blocks the event loop has more room. Here it moves the nodes of one gateway of
   * several, and the pause of a stopped host (silence + wait + look) is to stay below that of a lost machine.
   */
  silence: 1500,
  /** For a host to be ready again while etcd has nodes under this member's lease that it does not run; then they are given back. */
  resume: 800,
  /** After a node was stopped or killed: what is on its way to a device has arrived. Only then its key is given up. */
  drain: 500,
  /** The n-th in rank leaves a free node to those before it for n times this long. */
  rank: 300,
  /**
   * A member that has just joined, or whose host is just ready, leaves what it did not have before to others for this long: the first one
   * that is back after a loss of all would take everything.
   */
  settle: 2000,
  /** A node that changed hands more than `hands` times within `handsWithin` stays with its gateway while that is a member. */
  hands: 3,
  handsWithin: 600_000,
  /** Most nodes that one member gives to others at the same time. */
  moves: 8,
  /** Most nodes of one transaction: etcd takes 128 operations, and a node needs three. */
  batch: 42,
  /** Most of them that a member has under way: renewals have to get through between them. */
  batches: 4,
} as const;

export type Times = { readonly [K in keyof typeof times]: number };
