import type { Node } from '../model.ts';
import { getOrMake } from '../system/get-or-make.ts';
import { settingReferences } from './setting-references.ts';

/** Keeps which drivers the settings of apps name: an app gets the states of those that it only writes, too. */
export class NamedDrivers {
  readonly #nodes: ReadonlyMap<string, Node>;
  /** Drivers that apps named when `settle` was called last. */
  #drivers: readonly Node[] = [];
  readonly #apps = new Set<Node>();
  #isChanged = false;

  constructor(nodes: ReadonlyMap<string, Node>) {
    this.#nodes = nodes;
  }

  /** Looks up anew what the settings of a node name; nothing, unless it is `present`. Returns whether that is something else than before. */
  update(node: Node, present: boolean): boolean {
    const { named: before } = node;
    const names = present ? settingReferences(node.plugin, node.params).nodes : [];
    const now = Array.from(names).flatMap((name) => this.#nodes.get(name) ?? []);
    if (now.length === (before?.size ?? 0) && now.every((driver) => before?.has(driver))) return false;
    node.named = now.length === 0 ? undefined : new Set(now);
    if (now.length === 0) this.#apps.delete(node);
    else this.#apps.add(node);
    this.#isChanged = true;
    return true;
  }

  /** All that is there was updated. */
  settle(): void {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    const byDriver = new Map<Node, Set<Node>>();
    for (const app of this.#apps)
      for (const driver of app.named ?? []) getOrMake(byDriver, driver, () => new Set<Node>()).add(app);
    for (const driver of this.#drivers) driver.namedBy = undefined;
    for (const [driver, apps] of byDriver) driver.namedBy = apps;
    this.#drivers = [...byDriver.keys()];
  }
}
