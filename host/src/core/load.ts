import type { MachineTokenRecord, UserRecord } from './records.ts';
import { Replica } from './replica.ts';
import type { State } from './state.ts';

export interface Loaded {
  /** By name; whoever goes on to apply changes with the replica changes these. */
  readonly users: Map<string, UserRecord>;
  /** By name. */
  readonly machineTokens: Map<string, MachineTokenRecord>;
  /** The certificate, not looked at yet. */
  readonly license: string | undefined;
  /** Nothing is stored: this is the first start. */
  readonly isNew: boolean;
  /** Applies what comes after what is stored. */
  readonly replica: Replica;
}

/** Fills the state from the store. */
export async function load(state: State): Promise<Loaded> {
  const entries = await state.ports.store.load();
  const replica = new Replica(state);
  await replica.apply({ set: entries });
  const { users, machineTokens, license } = replica;
  return { users, machineTokens, license, replica, isNew: entries.length === 0 };
}
