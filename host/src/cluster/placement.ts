/** Where a node may run. A member has to fit all that is said. */
export interface Placement {
  /** Names of gateways; undefined: any. */
  readonly gateways?: readonly string[];
  /** All of these the gateway must have, such as `hall-3` for one that reaches a subnet or has a serial line. */
  readonly labels?: readonly string[];
}

/** A gateway that may take nodes. */
export interface Candidate {
  readonly name: string;
  readonly labels: readonly string[];
  /** How much it can take, compared with the others; 1 is usual. */
  readonly capacity: number;
  /** What share of it is used, from 0 to 1, as it measured itself. */
  readonly load: number;
}

/** A node to be placed; `with` names nodes that are to run at the same gateway. Ids are those of the configuration. */
export interface Placed {
  readonly id: number;
  readonly with?: readonly number[];
}

/** However busy a gateway says that it is, it counts for this share of its capacity. */
const leastFree = 0.05;

export function allows({ gateways, labels }: Placement, { name, labels: own }: Candidate): boolean {
  if (gateways !== undefined && !gateways.includes(name)) return false;
  return labels === undefined || labels.every((label) => own.includes(label));
}

/** The affinity of every node: the lowest id of those that are bound together, directly or by others. A node that is not there binds nothing. */
export function affinitiesOf(nodes: readonly Placed[]): Map<number, number> {
  const parents = new Map(nodes.map(({ id }) => [id, id]));
  const affinityOf = (id: number): number => {
    let root = id;
    for (let above = parents.get(root)!; above !== root; above = parents.get(root)!) root = above;
    parents.set(id, root);
    return root;
  };
  for (const { id, with: others = [] } of nodes)
    for (const other of others) {
      if (!parents.has(other)) continue;
      const one = affinityOf(id);
      const two = affinityOf(other);
      parents.set(Math.max(one, two), Math.min(one, two));
    }
  return new Map(nodes.map(({ id }) => [id, affinityOf(id)]));
}

/**
 * The candidates in the order in which they are to have an affinity: rendezvous hashing, weighted by what each has free. The order of two
 * candidates depends on nothing but themselves and the affinity, so that a gateway that comes or goes moves only what it gets or had.
 */
export function ranked<C extends Candidate>(affinity: number, candidates: readonly C[]): C[] {
  if (candidates.length < 2) return [...candidates];
  const scored = candidates.map((candidate) => ({ candidate, score: scoreOf(affinity, candidate) }));
  scored.sort((a, b) => b.score - a.score || (a.candidate.name < b.candidate.name ? -1 : 1));
  return scored.map(({ candidate }) => candidate);
}

function scoreOf(affinity: number, { name, capacity, load }: Candidate): number {
  const weight = capacity * Math.max(leastFree, 1 - load);
  return weight / -Math.log(drawn(`${affinity} ${name}`));
}

/** A number between 0 and 1 that every gateway draws alike for this text: FNV-1a, mixed as MurmurHash3 does at its end. */
function drawn(text: string): number {
  let hash = 0x811c_9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x0100_0193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  hash ^= hash >>> 16;
  return ((hash >>> 0) + 0.5) / 2 ** 32;
}
